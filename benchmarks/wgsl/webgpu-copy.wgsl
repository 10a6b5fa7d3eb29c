// A copy of 268435456 float32: 16 bytes a thread.
@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let i = (group.x + group.y * 32768u) * 256u + thread.x;
  out[i] = a[i];
}
