pip install "onnxruntime-gpu[cuda,cudnn]"
python - <<'END'
import onnxruntime as ort

options = ort.SessionOptions()
options.optimized_model_filepath = "optimized.onnx"
wanted = ["CUDAExecutionProvider", "CPUExecutionProvider"]
session = ort.InferenceSession("network.onnx", options, providers=wanted)
assert session.get_providers()[0] == wanted[0], session.get_providers()
END
