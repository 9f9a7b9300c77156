"""What layers are made of: products, convolutions, pooling, normalization, attention, losses, randomness."""
import torch

from draw import Draw
from spec import FUNCTIONAL, TORCH, spec


@spec("linear", FUNCTIONAL)
def linear(d: Draw):
    rows, columns = d.integer(1, 5), d.integer(1, 5)
    x = d.tensor([*d.shape(d.integer(0, 3)), columns])
    weight = d.tensor([rows, columns if d.maybe(0.97) else columns + 1], format=d.pick("contiguous", "contiguous", "permuted"))
    bias = d.tensor([rows], format="contiguous") if d.maybe() else None
    return d.pick((x, weight), (x, weight, bias))


def product_shapes(d: Draw):
    m, k, n = (d.integer(1, 5) for _ in range(3))
    batch = d.shape(d.integer(0, 2))
    left = d.pick([k], [m, k], [*batch, m, k])
    right = d.pick([k], [k, n], [*batch, k, n], [*d.broadcastable(batch), k, n])
    if d.maybe(0.04):
        right[0] += 1
    return left, right


@spec("matmul", TORCH + " _operator:*")
@spec("__matmul__ __rmatmul__", "*")
def matmul(d: Draw):
    left, right = product_shapes(d)
    kind = d.pick(torch.int64, None, None, None, None)
    return d.tensor(left, kind), d.tensor(right, kind)


@spec("mm bmm mv dot outer", TORCH)
def ranked_product(d: Draw):
    b, m, k, n = (d.integer(1, 4) for _ in range(4))
    shapes = d.pick(([m, k], [k, n]), ([b, m, k], [b, k, n]), ([m, k], [k]), ([k], [k]))
    return tuple(d.tensor(s) for s in shapes)


@spec("mm", TORCH)
def mm(d: Draw):
    m, k, n = (d.integer(0, 4) for _ in range(3))
    return d.tensor([m, k]), d.tensor([k, n])


@spec("bmm", TORCH)
def bmm(d: Draw):
    b, m, k, n = (d.integer(0, 4) for _ in range(4))
    return d.tensor([b, m, k]), d.tensor([b, k, n])


@spec("mv", TORCH)
def mv(d: Draw):
    m, k = (d.integer(0, 4) for _ in range(2))
    return d.tensor([m, k]), d.tensor([k])


@spec("outer", TORCH)
def outer(d: Draw):
    return d.tensor(rank=1, dtype=d.any_type()), d.tensor(rank=1, dtype=d.any_type())


@spec("addmm", "torch:* * *_")
def addmm(d: Draw):
    m, k, n = (d.integer(1, 4) for _ in range(3))
    return d.tensor(d.broadcastable([m, n])), d.tensor([m, k]), d.tensor([k, n])


@spec("baddbmm", TORCH)
def baddbmm(d: Draw):
    b, m, k, n = (d.integer(1, 4) for _ in range(4))
    return (d.tensor(d.broadcastable([b, m, n])), d.tensor([b, m, k]), d.tensor([b, k, n])), dict(beta=d.pick(1, 0), alpha=0.5)


@spec("addmv", TORCH)
def addmv(d: Draw):
    m, k = (d.integer(1, 4) for _ in range(2))
    return d.tensor(d.broadcastable([m])), d.tensor([m, k]), d.tensor([k])


@spec("einsum", "torch:* torch.functional:*")
def einsum(d: Draw):
    sizes = {letter: d.integer(1, 3) for letter in "abcde"}
    left = "".join(d.random.sample("abcde", d.integer(1, 4)))
    right = "".join(d.random.sample("abcde", d.integer(1, 4)))
    both = sorted(set(left + right))
    output = "".join(d.random.sample(both, d.integer(0, len(both))))
    kind = d.float_type()
    operands = [d.tensor([sizes[c] for c in own], kind) for own in (left, right)]
    return d.pick((f"{left},{right}->{output}", *operands), (f"{left}, {right} -> {output}", operands))


def attention_inputs(d: Draw):
    batch, heads, length, source, width = (d.integer(1, 3) for _ in range(5))
    kind = d.float_type()
    kv_heads = d.pick(heads, heads, 1)

    def heads_of(count, size, width=width):
        if d.maybe(0.5):
            return d.tensor([batch, size, count, width], kind, format="contiguous").transpose(1, 2)
        return d.tensor([batch, count, size, width], kind)
    q, k, v = heads_of(heads, length), heads_of(kv_heads, source), heads_of(kv_heads, source, d.pick(width, width, width + 1))
    mask = None
    if d.maybe(0.4):
        shape = [d.pick(batch, 1), d.pick(heads, 1), d.pick(length, 1), d.pick(source, 1)][d.pick(0, 0, 2):]
        mask = d.tensor(shape, d.pick(torch.bool, kind))
    return q, k, v, mask, heads, kv_heads


@spec("scaled_dot_product_attention", FUNCTIONAL)
def attention(d: Draw):
    q, k, v, mask, heads, kv_heads = attention_inputs(d)
    if d.maybe(0.15):
        q, k, v, mask = q[0], k[0], v[0], None
    kwargs = dict(dropout_p=d.pick(0.0, 0.0, 0.0, 0.5))
    if mask is None:
        kwargs["is_causal"] = d.maybe()
    if heads != kv_heads:
        kwargs["enable_gqa"] = d.maybe(0.9)
    return d.pick(((q, k, v), kwargs | dict(attn_mask=mask)), ((q, k, v, mask), kwargs))


def convolution_arguments(d: Draw, spatial: int, transposed: bool):
    groups = d.pick(1, 1, 2)
    channels, outputs = groups * d.integer(1, 3), groups * d.integer(1, 3)
    kernel = [d.integer(1, 3) for _ in range(spatial)]
    kind = d.pick(torch.float32, torch.float32, d.float_type())
    x = d.tensor([*([d.integer(1, 3)] if d.maybe(0.85) else []), channels, *(d.integer(3, 7) for _ in range(spatial))], kind)
    weight = d.tensor([channels, outputs // groups, *kernel] if transposed else [outputs, channels // groups, *kernel], kind,
                      format=d.pick("contiguous", "contiguous", "channels_last"))
    bias = d.tensor([outputs], kind, format="contiguous") if d.maybe() else None
    per_dim = lambda low, high: d.pick(d.integer(low, high), tuple(d.integer(low, high) for _ in range(spatial)))
    return x, weight, bias, groups, per_dim


for count in (1, 2, 3):
    @spec(f"conv{count}d", "torch:* torch.nn.functional:*")
    def convolution(d: Draw, count=count):
        x, weight, bias, groups, per_dim = convolution_arguments(d, count, False)
        padding = d.pick(per_dim(0, 2), per_dim(0, 2), "same", "valid")
        stride = 1 if padding == "same" else per_dim(1, 2)
        return d.pick((x, weight, bias, stride, padding, per_dim(1, 2), groups),
                      ((x, weight), dict(bias=bias, padding=padding, groups=groups)))

    @spec(f"conv_transpose{count}d", "torch:* torch.nn.functional:*")
    def transposed_convolution(d: Draw, count=count):
        x, weight, bias, groups, per_dim = convolution_arguments(d, count, True)
        return x, weight, bias, per_dim(1, 2), per_dim(0, 1), per_dim(0, 1), groups, per_dim(1, 2)

    @spec(f"max_pool{count}d", "torch:*")
    @spec(f"avg_pool{count}d", FUNCTIONAL)
    def pool(d: Draw, count=count):
        x = pooled_input(d, count)
        kernel = d.pick(d.integer(1, 3), [d.integer(1, 3) for _ in range(count)])
        return d.pick((x, kernel), (x, kernel, d.integer(1, 3), d.pick(0, 0, 1)),
                      ((x, kernel), dict(stride=d.integer(1, 3), ceil_mode=d.maybe())))

    @spec(f"max_pool{count}d", FUNCTIONAL)
    def max_pool(d: Draw, count=count):
        x = pooled_input(d, count)
        return (x, d.integer(1, 3)), dict(stride=d.pick(None, 1, 2), padding=d.pick(0, 0, 1), dilation=d.pick(1, 2),
                                          ceil_mode=d.maybe(), return_indices=d.maybe(0.3))

    @spec(f"adaptive_avg_pool{count}d adaptive_max_pool{count}d", FUNCTIONAL)
    def adaptive(d: Draw, count=count):
        sizes = [d.pick(1, 2, 3) for _ in range(count)]
        if d.maybe(0.2) and count > 1:
            sizes[0] = None
        return pooled_input(d, count), d.pick(1, 2, sizes)


def pooled_input(d: Draw, count: int):
    return d.tensor([*([d.integer(1, 3)] if d.maybe(0.85) else []), d.integer(1, 4), *(d.integer(2, 6) for _ in range(count))],
                    d.pick(torch.float32, d.float_type()))


def scales(d: Draw, kind, sizes, count: int):
    shared = torch.float32 if d.maybe(0.3) else kind
    return [d.tensor(sizes, shared, format="contiguous") if d.maybe(0.7) else None for _ in range(count)]


@spec("layer_norm", FUNCTIONAL + " torch:*")
def layer_norm(d: Draw):
    x = d.tensor(rank=d.integer(1, 4))
    shape = list(x.shape[x.dim() - d.integer(1, x.dim()):])
    return x, shape, *scales(d, x.dtype, shape, 2)


@spec("rms_norm", FUNCTIONAL)
def rms_norm(d: Draw):
    x = d.tensor(rank=d.integer(1, 4))
    shape = list(x.shape[x.dim() - d.integer(1, x.dim()):])
    return x, shape, *scales(d, x.dtype, shape, 1)


@spec("batch_norm", FUNCTIONAL)
def batch_norm(d: Draw):
    x = d.tensor(rank=d.integer(2, 5))
    channels = [x.shape[1]]
    kind = d.pick(torch.float32, x.dtype)
    mean, var = (None, None) if d.maybe(0.1) else (torch.zeros(channels, dtype=kind), torch.ones(channels, dtype=kind))
    weight, bias = (d.tensor(channels, kind, format="contiguous") if d.maybe(0.7) else None for _ in range(2))
    return (x, mean, var, weight, bias), dict(training=d.maybe())


@spec("group_norm", FUNCTIONAL)
def group_norm(d: Draw):
    groups = d.integer(1, 3)
    shape = [d.integer(1, 3), groups * d.integer(1, 2), *d.shape(d.integer(0, 3))]
    x = d.tensor(shape)
    return x, groups, *scales(d, x.dtype, [shape[1]], 2)


@spec("instance_norm", FUNCTIONAL)
def instance_norm(d: Draw):
    x = d.tensor(rank=d.integer(2, 5))
    return (x, None, None, *scales(d, x.dtype, [x.shape[1]], 2)), dict(use_input_stats=d.maybe(0.9))


@spec("normalize", FUNCTIONAL)
def normalize(d: Draw):
    x = d.tensor(rank=d.integer(1, 4))
    return (x,), dict(dim=d.dim(x.dim()), p=d.pick(2.0, 1.0))


@spec("dropout dropout1d dropout2d dropout3d", FUNCTIONAL)
def dropout(d: Draw):
    return (d.tensor(),), dict(p=d.pick(0.0, 0.3, 0.5, 1.0, 1.5), training=d.maybe(), inplace=d.maybe(0.2))


@spec("dropout", "torch:* torch:*_")
def plain_dropout(d: Draw):
    return d.tensor(), d.pick(0.0, 0.3), d.maybe()


@spec("softmax log_softmax", TORCH + " torch.nn.functional:*")
def softmax(d: Draw):
    x = d.tensor(dtype=d.any_type() if d.maybe(0.2) else None)
    kwargs = dict(dtype=d.pick(torch.float32, torch.float64, torch.bfloat16)) if d.maybe(0.3) else {}
    return (x,), kwargs | dict(dim=d.dim(x.dim()))


@spec("glu", FUNCTIONAL)
def glu(d: Draw):
    x = d.tensor(rank=d.integer(1, 4))
    dim = d.dim(x.dim())
    return (torch.cat([x, x], dim) if -x.dim() <= dim < x.dim() and d.maybe(0.9) else x), dim


@spec("pad", FUNCTIONAL)
def pad(d: Draw):
    x = d.tensor()
    mode = d.pick("constant", "constant", "reflect", "replicate", "circular")
    low = -1 if mode == "constant" else 0
    count = d.integer(0, x.dim()) if mode == "constant" else max(x.dim() - 2, 0)
    return x, [d.integer(low, 2) for _ in range(2 * count)], mode


@spec("interpolate", FUNCTIONAL)
def interpolate(d: Draw):
    x = d.tensor([d.integer(1, 3), d.integer(1, 3), *(d.integer(1, 5) for _ in range(d.integer(1, 3)))])
    mode = d.pick("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "area", "trilinear")
    sizes = dict(scale_factor=d.pick(2, 1.5, 0.5, 0.7)) if d.maybe() else dict(size=d.pick(3, [d.integer(1, 6) for _ in x.shape[2:]]))
    if d.maybe(0.3) and "linear" in mode:
        sizes["align_corners"] = d.maybe()
    return (x,), dict(mode=mode, **sizes)


@spec("cross_entropy nll_loss", FUNCTIONAL)
def cross_entropy(d: Draw):
    classes = d.integer(1, 5)
    shape = d.pick([classes], [d.integer(1, 4), classes], [d.integer(1, 3), classes, *d.shape(d.integer(1, 2))])
    x = d.tensor(shape)
    target = torch.randint(0, classes, [s for i, s in enumerate(shape) if i != (len(shape) > 1)])
    if d.maybe(0.15):
        target = d.tensor(shape, x.dtype)
    kwargs = dict(reduction=d.pick("mean", "mean", "sum", "none"))
    if d.maybe(0.2):
        kwargs["weight"] = torch.rand(classes).to(x.dtype)
    return (x, target), kwargs


@spec("mse_loss l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits", FUNCTIONAL)
def loss(d: Draw):
    x = d.tensor()
    if d.maybe():
        x = x.sigmoid()
    return (x, torch.rand(x.shape if d.maybe(0.9) else [2, 2]).to(x.dtype)), dict(reduction=d.pick("mean", "sum", "none"))
