trtexec --onnx=network.onnx --saveEngine=network.engine \
  --minShapes=image:1x3x32x32 --optShapes=image:16x3x32x32 --maxShapes=image:64x3x32x32 \
  --profilingVerbosity=detailed --exportLayerInfo=layers.json --dumpProfile
