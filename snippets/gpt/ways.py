"""What docs/roadmap/distributed/llm-c.md runs of the model with other products and kernels.

It uses what the page has made before: the reference in PyTorch, its tokens, and the text.
"""
# ruff: noqa: F821

# --8<-- [start:gradients]
for products, kernels in (("ours", "numba"), ("cublas", "cupy"), ("ours", "cupy")):
    other, stream = build(reference.config, products, kernels)
    with stream:
        other.tokens[:] = cp.asarray(tokens.flatten())
        other.targets[:] = cp.asarray(targets.flatten())
        forward(other)
        loss(other)
        backward(other)
    stream.synchronize()
    errors = {}
    for name, view in named(other.d_flat, other.config).items():
        right = reference.named()[name].grad
        errors[name] = float((torch.as_tensor(view).double() - right).norm() / right.norm())
    worst = max(errors, key=errors.get)
    print(f"products {products:6}  kernels {kernels:5}  loss {float(other.losses.mean()):.5f}")
    print(f"    the worst gradient, {worst}, is off by {errors[worst]:.0e}")
    assert errors[worst] < 1e-2
# --8<-- [end:gradients]

# --8<-- [start:train]
model, stream = build(config, products="ours")
history = train(model, stream, numbers, steps=301)
assert history[-1][1] < 2
# --8<-- [end:train]
