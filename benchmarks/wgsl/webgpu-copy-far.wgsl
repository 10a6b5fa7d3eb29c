// A copy of 268435456 float32: a loop, four times 16 bytes at once.
@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  for (var i = group.x * 256u + thread.x; i < 67108864u; i += 4194304u) {
    let v0 = a[i + 0u];
    let v1 = a[i + 1048576u];
    let v2 = a[i + 2097152u];
    let v3 = a[i + 3145728u];
    out[i + 0u] = v0;
    out[i + 1048576u] = v1;
    out[i + 2097152u] = v2;
    out[i + 3145728u] = v3;
  }
}
