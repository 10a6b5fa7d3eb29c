// Atomic additions by scope: who must see them in one order. Each block has a place of its own.

#define KERNEL(name, ADD)                                                             \
    extern "C" __global__ void name(int* counts, int rounds) {                        \
        for (int i = 0; i < rounds; i++) ADD(counts + 32 * blockIdx.x, i & 1);         \
    }

KERNEL(block_scope, atomicAdd_block)
KERNEL(device_scope, atomicAdd)
KERNEL(system_scope, atomicAdd_system)
