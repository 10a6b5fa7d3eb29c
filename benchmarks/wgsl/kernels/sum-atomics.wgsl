// sum_atomics_kernel, compiled from Python for 64 blocks of 256 threads.

const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> total: array<atomic<u32>>;

fn atomic_add_total(index: i32, value: f32) -> f32 {
  var old: u32 = atomicLoad(&total[index]);
  loop {
    let swap = atomicCompareExchangeWeak(&total[index], old, bitcast<u32>(bitcast<f32>(old) + value));
    if (swap.exchanged) { break; }
    old = swap.old_value;
  }
  return bitcast<f32>(old);
}

@compute @workgroup_size(256, 1, 1)
fn sum_atomics_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  atomic_add_total(0, x[i]);
}
