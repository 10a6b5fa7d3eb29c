// A copy of 268435456 float32: four times 16 bytes a thread.
@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let i = (group.x + group.y * 32768u) * 1024u + thread.x;
  let v0 = a[i + 0u];
  let v1 = a[i + 256u];
  let v2 = a[i + 512u];
  let v3 = a[i + 768u];
  out[i + 0u] = v0;
  out[i + 256u] = v1;
  out[i + 512u] = v2;
  out[i + 768u] = v3;
}
