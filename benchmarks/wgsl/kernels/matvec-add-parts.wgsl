// add_parts_kernel, compiled from Python for 8192 blocks of 128 threads.

const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> parts: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(128, 1, 1)
fn add_parts_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  var total: f32 = 0.0;
  total += parts[0 + i];
  total += parts[1048576 + i];
  total += parts[2097152 + i];
  total += parts[3145728 + i];
  total += parts[4194304 + i];
  total += parts[5242880 + i];
  total += parts[6291456 + i];
  total += parts[7340032 + i];
  total += parts[8388608 + i];
  total += parts[9437184 + i];
  total += parts[10485760 + i];
  total += parts[11534336 + i];
  total += parts[12582912 + i];
  total += parts[13631488 + i];
  total += parts[14680064 + i];
  total += parts[15728640 + i];
  total += parts[16777216 + i];
  total += parts[17825792 + i];
  total += parts[18874368 + i];
  total += parts[19922944 + i];
  total += parts[20971520 + i];
  total += parts[22020096 + i];
  total += parts[23068672 + i];
  total += parts[24117248 + i];
  total += parts[25165824 + i];
  total += parts[26214400 + i];
  total += parts[27262976 + i];
  total += parts[28311552 + i];
  total += parts[29360128 + i];
  total += parts[30408704 + i];
  total += parts[31457280 + i];
  total += parts[32505856 + i];
  out[i] = total;
}
