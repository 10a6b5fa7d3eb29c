#import <Metal/Metal.h>

float values[] = {1, 2, 3, 4, 5};
NSUInteger count = 5;
NSError *error = nil;
id<MTLDevice> device = MTLCreateSystemDefaultDevice();
id<MTLLibrary> library = [device newLibraryWithSource:source options:nil error:&error];
id<MTLFunction> kernel = [library newFunctionWithName:@"scale"];
id<MTLComputePipelineState> pipeline =
    [device newComputePipelineStateWithFunction:kernel error:&error];

// 1. a queue
id<MTLCommandQueue> queue = [device newCommandQueue];
// 2. a buffer, shared by CPU and GPU
id<MTLBuffer> buffer = [device newBufferWithBytes:values
                                           length:sizeof values
                                          options:MTLResourceStorageModeShared];

// 3. bind, by index
id<MTLCommandBuffer> commands = [queue commandBuffer];
id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
[encoder setComputePipelineState:pipeline];
[encoder setBuffer:buffer offset:0 atIndex:0];
float factor = 10;
[encoder setBytes:&factor length:sizeof factor atIndex:1];

// 4. launch: how many threads in all, and how many in a threadgroup
NSUInteger width = MIN(pipeline.maxTotalThreadsPerThreadgroup, count);
[encoder dispatchThreads:MTLSizeMake(count, 1, 1)
    threadsPerThreadgroup:MTLSizeMake(width, 1, 1)];
[encoder endEncoding];
[commands commit];  // nothing has run before this line

// 5. wait
[commands waitUntilCompleted];
float *result = buffer.contents;
