// merge_kernel, compiled from Python for 12288 blocks of 128 threads.

const y_size: i32 = 1048576;

@group(0) @binding(0) var<storage, read> starts: array<i32>;
@group(0) @binding(1) var<storage, read> columns: array<i32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read> first_rows: array<i32>;
@group(0) @binding(5) var<storage, read_write> y: array<atomic<u32>>;
var<workgroup> products: array<f32, 768>;
var<workgroup> ends: array<i32, 769>;
var<workgroup> sums: array<atomic<u32>, 769>;
var<private> where_1: array<i32, 6>;
var<private> held: array<f32, 6>;

// A negative index counts from the end, as in Numba.
fn from_start(index: i32, size: i32) -> i32 { return select(index, index + size, index < 0); }

fn atomic_add_sums(index: i32, value: f32) -> f32 {
  var old: u32 = atomicLoad(&sums[index]);
  loop {
    let swap = atomicCompareExchangeWeak(&sums[index], old, bitcast<u32>(bitcast<f32>(old) + value));
    if (swap.exchanged) { break; }
    old = swap.old_value;
  }
  return bitcast<f32>(old);
}

fn atomic_add_y(index: i32, value: f32) -> f32 {
  var old: u32 = atomicLoad(&y[index]);
  loop {
    let swap = atomicCompareExchangeWeak(&y[index], old, bitcast<u32>(bitcast<f32>(old) + value));
    if (swap.exchanged) { break; }
    old = swap.old_value;
  }
  return bitcast<f32>(old);
}

@compute @workgroup_size(128, 1, 1)
fn merge_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var i: i32;
  var unused: i32;
  let thread = i32(threadIdx.x);
  let block_ = i32(blockIdx.x);
  let total_rows = y_size;
  let nonzeros = starts[1048576u];
  let first_row = first_rows[u32(block_)];
  let last_row = first_rows[u32(block_ + 1)];
  let first = block_ * 768 - first_row;
  let last = min((block_ + 1) * 768, 1048576 + nonzeros) - last_row;
  let count = last - first;  // of this block
  let rows = last_row - first_row;
  if (count > 0) {
    i = min(thread + 0, count - 1);  // that all loads are in flight
    var place = u32(first + i);
    let t1 = columns[place];
    let t2 = values[place];
    where_1[0] = t1;
    held[0] = t2;
    i = min(thread + 128, count - 1);
    place = u32(first + i);
    let t3 = columns[place];
    let t4 = values[place];
    where_1[1] = t3;
    held[1] = t4;
    i = min(thread + 256, count - 1);
    place = u32(first + i);
    let t5 = columns[place];
    let t6 = values[place];
    where_1[2] = t5;
    held[2] = t6;
    i = min(thread + 384, count - 1);
    place = u32(first + i);
    let t7 = columns[place];
    let t8 = values[place];
    where_1[3] = t7;
    held[3] = t8;
    i = min(thread + 512, count - 1);
    place = u32(first + i);
    let t9 = columns[place];
    let t10 = values[place];
    where_1[4] = t9;
    held[4] = t10;
    i = min(thread + 640, count - 1);
    place = u32(first + i);
    let t11 = columns[place];
    let t12 = values[place];
    where_1[5] = t11;
    held[5] = t12;
    held[0] = held[0] * x[u32(where_1[0])];
    held[1] = held[1] * x[u32(where_1[1])];
    held[2] = held[2] * x[u32(where_1[2])];
    held[3] = held[3] * x[u32(where_1[3])];
    held[4] = held[4] * x[u32(where_1[4])];
    held[5] = held[5] * x[u32(where_1[5])];
    products[u32(thread + 0)] = held[0];
    products[u32(thread + 128)] = held[1];
    products[u32(thread + 256)] = held[2];
    products[u32(thread + 384)] = held[3];
    products[u32(thread + 512)] = held[4];
    products[u32(thread + 640)] = held[5];
  }
  let stop13 = rows + 1;
  for (var i_14 = thread; i_14 < stop13; i_14 += 128) {
    i = i_14;
    let row = u32(first_row + i);
    ends[u32(i)] = select(2147483647, starts[row + 1u] - first, i32(row) < total_rows);
    atomicStore(&sums[u32(i)], bitcast<u32>(0.0));
  }
  storageBarrier(); workgroupBarrier();
  let item = thread * 6;
  var low = max(item - count, 0);
  var high = min(item, rows);
  while (low < high) {
    let middle = (low + high) / 2;
    if (ends[middle] <= item - middle - 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  var row_i32 = low;
  var k = item - low;
  var whole = false;  // whether the sum holds its row from the beginning
  var total: f32 = 0.0;
  var _15: i32 = 0;
  for (; _15 < 3; _15 += 4) {
    unused = _15;
    if (row_i32 < rows || k < count) {
      if (k < count && k < ends[from_start(row_i32, 769)]) {
        total += products[from_start(k, 768)];
        k += 1;
      } else {
        if (whole) {
          atomicStore(&sums[from_start(row_i32, 769)], bitcast<u32>(total));
        } else {
          atomic_add_sums(from_start(row_i32, 769), total);
        }
        total = 0.0;
        whole = true;
        row_i32 += 1;
      }
    }
    unused = _15 + 1;
    if (row_i32 < rows || k < count) {
      if (k < count && k < ends[from_start(row_i32, 769)]) {
        total += products[from_start(k, 768)];
        k += 1;
      } else {
        if (whole) {
          atomicStore(&sums[from_start(row_i32, 769)], bitcast<u32>(total));
        } else {
          atomic_add_sums(from_start(row_i32, 769), total);
        }
        total = 0.0;
        whole = true;
        row_i32 += 1;
      }
    }
    unused = _15 + 2;
    if (row_i32 < rows || k < count) {
      if (k < count && k < ends[from_start(row_i32, 769)]) {
        total += products[from_start(k, 768)];
        k += 1;
      } else {
        if (whole) {
          atomicStore(&sums[from_start(row_i32, 769)], bitcast<u32>(total));
        } else {
          atomic_add_sums(from_start(row_i32, 769), total);
        }
        total = 0.0;
        whole = true;
        row_i32 += 1;
      }
    }
    unused = _15 + 3;
    if (row_i32 < rows || k < count) {
      if (k < count && k < ends[from_start(row_i32, 769)]) {
        total += products[from_start(k, 768)];
        k += 1;
      } else {
        if (whole) {
          atomicStore(&sums[from_start(row_i32, 769)], bitcast<u32>(total));
        } else {
          atomic_add_sums(from_start(row_i32, 769), total);
        }
        total = 0.0;
        whole = true;
        row_i32 += 1;
      }
    }
  }
  for (; _15 < 6; _15 += 1) {
    unused = _15;
    if (row_i32 < rows || k < count) {
      if (k < count && k < ends[from_start(row_i32, 769)]) {
        total += products[from_start(k, 768)];
        k += 1;
      } else {
        if (whole) {
          atomicStore(&sums[from_start(row_i32, 769)], bitcast<u32>(total));
        } else {
          atomic_add_sums(from_start(row_i32, 769), total);
        }
        total = 0.0;
        whole = true;
        row_i32 += 1;
      }
    }
  }
  if (!(total == 0.0)) {
    atomic_add_sums(from_start(row_i32, 769), total);
  }
  storageBarrier(); workgroupBarrier();
  let stop16 = rows + 1;
  for (var i_17 = thread; i_17 < stop16; i_17 += 128) {
    i = i_17;
    row_i32 = first_row + i;
    if (i == 0 || i == rows) {  // another block may add to these
      if (row_i32 < total_rows) {
        atomic_add_y(row_i32, bitcast<f32>(atomicLoad(&sums[i])));
      }
    } else {
      atomicStore(&y[u32(row_i32)], bitcast<u32>(bitcast<f32>(atomicLoad(&sums[i]))));
    }
  }
}
