"""The passes over a network's graph keep what it computes, and refuse what would change it."""

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from onnx import helper, numpy_helper  # noqa: E402

from kernels.network_graph import build, calibrate, passes  # noqa: E402

IMAGE = np.random.default_rng(1).standard_normal((3, 3, 17, 9)).astype(np.float32)


@pytest.mark.parametrize("seed", range(3))
def test_folding_keeps_the_result(seed):
    model = build.network(channels=5, classes=3, seed=seed)
    folded = passes.fold_batch_norm(model)
    assert "BatchNormalization" in build.kinds(model)
    assert "BatchNormalization" not in build.kinds(folded)
    np.testing.assert_allclose(build.run(folded, IMAGE), build.run(model, IMAGE), 1e-4, 1e-5)


def test_a_convolution_that_another_reads_is_not_folded():
    model = build.network(channels=4)
    (norm,) = (node for node in model.graph.node if node.name == "second.norm")
    model.graph.node.append(helper.make_node("Relu", [norm.input[0]], ["seen"]))
    folded = passes.fold_batch_norm(model)
    assert build.kinds(folded).count("BatchNormalization") == 1
    assert np.allclose(build.run(folded, IMAGE), build.run(model, IMAGE), 1e-4, 1e-5)


def test_the_picture_of_fusion_is_what_onnx_runtime_does(tmp_path, monkeypatch):
    from snippets.diagrams.graph_fusion import GROUPS

    monkeypatch.chdir(tmp_path)
    model = build.network()
    assert [name for before, _ in GROUPS for name in before] == build.kinds(model)
    after = build.kinds(build.optimized(model, "ORT_ENABLE_EXTENDED"))
    assert [name for _, names in GROUPS for name in names] == after


def test_int8_is_near_and_its_weights_are_whole():
    folded = passes.fold_batch_norm(build.network())
    names = ["first.norm", "first.relu", "second.norm"]
    seen = build.session(passes.watched(folded, names)).run(names, {"image": IMAGE})
    limits = {"image": calibrate.largest(IMAGE)}
    limits |= {name: calibrate.largest(x) for name, x in zip(names, seen, strict=True)}
    model = passes.with_int8(folded, limits)
    before, after = build.run(folded, IMAGE), build.run(model, IMAGE)
    assert 0 < np.linalg.norm(after - before) < 0.02 * np.linalg.norm(before)
    kept = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    assert kept["first.conv.w.q"].dtype == np.int8 and kept["first.conv.b.q"].dtype == np.int32


def test_entropy_ignores_a_few_far_numbers_and_nothing_else():
    random = np.random.default_rng(3)
    x = random.standard_normal(100_000)
    far = np.concatenate([x, [50.0, -60.0]])
    assert calibrate.entropy(far) < 8 < calibrate.largest(far) == 60
    assert calibrate.lost(x, calibrate.entropy(far)) < calibrate.lost(x, 60) / 5


def test_an_exported_model_computes_what_the_function_does():
    from kernels.network_graph.export import export
    from kernels.quantization.model import LETTERS, forward, new_weights

    random = np.random.default_rng(3)
    weights = {name: w.astype(np.float32) for name, w in new_weights(random).items()}
    model = export(forward, weights, random.integers(0, len(LETTERS), (2, 9)))
    for rows in (1, 4):  # another batch than the example's, and the same length
        tokens = random.integers(0, len(LETTERS), (rows, 9))
        for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
            (logits,) = build.session(model, level).run(None, {"tokens": tokens})
            np.testing.assert_allclose(logits, forward(weights, tokens), 1e-4, 1e-4)
    with pytest.raises(TypeError, match=r"np\.tanh has no operator"):
        export(lambda w, tokens: np.tanh(w["head"]), weights, tokens)
    with pytest.raises(TypeError, match=r"np\.stack has no operator"):
        export(lambda w, tokens: np.stack([w["head"], w["head"]]), weights, tokens)


def test_in_another_layout_the_second_convolution_takes_the_shortcut(tmp_path, monkeypatch):
    """The page names these seven, for an x86 CPU; where the layout stays, it's the eight again."""
    monkeypatch.chdir(tmp_path)
    after = build.kinds(build.optimized(build.network(), "ORT_ENABLE_ALL"))
    if "ReorderOutput" in after:
        assert " ".join(after) == "Conv Conv GlobalAveragePool ReorderOutput Flatten Gemm Gelu"
    else:
        assert len(after) <= 8 and after[-1] == "Gelu"


def test_zeros_hide_the_weights_of_the_first_layer():
    model = build.network()
    wrong = passes.fold_batch_norm(model)
    for tensor in wrong.graph.initializer:
        if tensor.name == "first.conv.w":
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * 2, tensor.name))
    zeros = np.zeros_like(IMAGE)
    np.testing.assert_allclose(build.run(wrong, zeros), build.run(model, zeros), 1e-4, 1e-5)
    assert not np.allclose(build.run(wrong, IMAGE), build.run(model, IMAGE), 0.1, 0.01)
