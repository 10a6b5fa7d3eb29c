"""What the GPU did for one photo, printed."""

from kernels.profiling.photos import burst, decoded_on_gpu, lanes, trace

after = lanes(trace("after.json", decoded_on_gpu, *burst(6, 3000, 4000)[1]))

# --8<-- [start:print]
arrived = [start for lane, name, start, _ in after if lane == "copies" and "HtoD" in name]
for lane, name, start, end in sorted(after, key=lambda span: span[2]):
    if lane != "host" and arrived[2] <= start < arrived[3]:  # from the third copy to the fourth
        print(f"{start:8.3f} ms {end - start:8.3f} ms  {lane:8} {name[:64]}")
# --8<-- [end:print]
