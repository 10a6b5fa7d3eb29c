#include <Metal/Metal.hpp>
#include <algorithm>

float *scale(MTL::Device *device, NS::String *source, const float *values, NS::UInteger count) {
    NS::Error *error = nullptr;
    auto *library = device->newLibrary(source, nullptr, &error);
    auto *kernel = library->newFunction(NS::String::string("scale", NS::UTF8StringEncoding));
    auto *pipeline = device->newComputePipelineState(kernel, &error);

    // 1. a queue
    auto *queue = device->newCommandQueue();
    // 2. a buffer, shared by CPU and GPU
    auto *buffer =
        device->newBuffer(values, count * sizeof(float), MTL::ResourceStorageModeShared);

    // 3. bind, by index
    auto *commands = queue->commandBuffer();
    auto *encoder = commands->computeCommandEncoder();
    encoder->setComputePipelineState(pipeline);
    encoder->setBuffer(buffer, 0, 0);
    float factor = 10;
    encoder->setBytes(&factor, sizeof factor, 1);

    // 4. launch: how many threads in all, and how many in a threadgroup
    NS::UInteger width = std::min(pipeline->maxTotalThreadsPerThreadgroup(), count);
    encoder->dispatchThreads(MTL::Size(count, 1, 1), MTL::Size(width, 1, 1));
    encoder->endEncoding();
    commands->commit();  // nothing has run before this line

    // 5. wait
    commands->waitUntilCompleted();
    return static_cast<float *>(buffer->contents());
}
