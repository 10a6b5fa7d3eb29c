// The sum of each work-group, by a tree in local memory: no wavefront, warp or subgroup in it.
kernel void block_sums(global const float* x, int n, local float* partial, global float* sums) {
    int i = get_global_id(0), mine = get_local_id(0);
    partial[mine] = i < n ? x[i] : 0;
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine < step) partial[mine] += partial[mine + step];
    }
    if (mine == 0) sums[get_group_id(0)] = partial[0];
}
