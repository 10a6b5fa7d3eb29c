import Metal

let values: [Float] = [1, 2, 3, 4, 5]
let device = MTLCreateSystemDefaultDevice()!
let library = try device.makeLibrary(source: source, options: nil)
let kernel = library.makeFunction(name: "scale")!
let pipeline = try device.makeComputePipelineState(function: kernel)

// 1. a queue
let queue = device.makeCommandQueue()!
// 2. a buffer, shared by CPU and GPU
let buffer = device.makeBuffer(bytes: values, length: 4 * values.count, options: .storageModeShared)!

// 3. bind, by index
let commands = queue.makeCommandBuffer()!
let encoder = commands.makeComputeCommandEncoder()!
encoder.setComputePipelineState(pipeline)
encoder.setBuffer(buffer, offset: 0, index: 0)
var factor: Float = 10
encoder.setBytes(&factor, length: 4, index: 1)

// 4. launch: how many threads in all, and how many in a threadgroup
let width = min(pipeline.maxTotalThreadsPerThreadgroup, values.count)
encoder.dispatchThreads(MTLSize(width: values.count, height: 1, depth: 1),
                        threadsPerThreadgroup: MTLSize(width: width, height: 1, depth: 1))
encoder.endEncoding()
commands.commit()  // nothing has run before this line

// 5. wait
commands.waitUntilCompleted()
let result = buffer.contents().bindMemory(to: Float.self, capacity: values.count)
