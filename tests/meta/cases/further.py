"""Operators that models use now and then."""
import torch

from draw import Draw
from spec import FUNCTIONAL, IN_PLACE, TORCH, spec


@spec("hardshrink softshrink logsigmoid softsign tanhshrink", FUNCTIONAL)
def activation(d: Draw):
    return d.tensor(),


@spec("threshold", FUNCTIONAL)
def threshold(d: Draw):
    return (d.tensor(), 0.1, 2.0), dict(inplace=d.maybe(0.3))


@spec("prelu", "torch:* torch.nn.functional:*")
def prelu(d: Draw):
    x = d.tensor(rank=d.integer(1, 4))
    return x, d.tensor([d.pick(1, x.shape[1]) if x.dim() > 1 else 1], x.dtype, format="contiguous")


@spec("xlogy copysign", IN_PLACE)
def binary_with_number(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.number() if d.maybe(0.3) else d.tensor(d.broadcastable(x.shape), d.any_type())


@spec("atan2 hypot logaddexp", IN_PLACE)
def float_pair(d: Draw):
    x = d.tensor()
    return x, d.tensor(d.broadcastable(x.shape))


@spec("lerp addcmul addcdiv", IN_PLACE)
def ternary(d: Draw):
    x = d.tensor()
    third = d.number() if d.maybe(0.2) else d.tensor(d.broadcastable(x.shape))
    return x, d.tensor(d.broadcastable(x.shape)), third


@spec("complex polar", "torch:*")
def complex_from(d: Draw):
    kind = d.pick(torch.float32, torch.float64)
    x = d.tensor(dtype=kind)
    return x, d.tensor(d.broadcastable(x.shape), kind)


@spec("view_as_real real imag", "torch:*")
def complex_parts(d: Draw):
    return d.tensor(dtype=d.pick(torch.complex64, torch.complex128)),


@spec("view_as_complex", "torch:*")
def view_as_complex(d: Draw):
    return d.tensor([*d.shape(d.integer(0, 3)), 2]),


@spec("broadcast_tensors", "torch:* torch.functional:*")
def broadcast_tensors(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.tensor(d.broadcastable(x.shape), d.any_type())


@spec("meshgrid", "torch:* torch.functional:*")
def meshgrid(d: Draw):
    return tuple(d.tensor([d.integer(1, 4)], torch.float32) for _ in range(d.integer(1, 3))), dict(indexing=d.pick("ij", "xy"))


@spec("tensor_split", TORCH)
def tensor_split(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.pick(1, 2, 3, [1], [1, 2], (0, 1)), d.dim(x.dim())


@spec("softmin", FUNCTIONAL)
def softmin(d: Draw):
    x = d.tensor()
    return (x,), dict(dim=d.dim(x.dim()))


@spec("nan_to_num", IN_PLACE)
def nan_to_num(d: Draw):
    return d.tensor(dtype=d.any_type()),


@spec("nextafter isclose", IN_PLACE)
def close_pair(d: Draw):
    x = d.tensor()
    return x, d.tensor(d.broadcastable(x.shape))


@spec("aminmax", TORCH)
def aminmax(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return (x,), dict(dim=d.dim(x.dim()), keepdim=d.maybe()) if d.maybe(0.7) else {}


@spec("kthvalue", TORCH)
def kthvalue(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.integer(1, 2), d.dim(x.dim()), d.maybe()


@spec("mode logcumsumexp", TORCH)
def along(d: Draw):
    x = d.tensor(dtype=d.any_type())
    return x, d.dim(x.dim())


@spec("dist", TORCH)
def dist(d: Draw):
    return two_vectors(d)


@spec("scalar_tensor", "torch:*")
def scalar_tensor(d: Draw):
    return (d.number(),), dict(dtype=d.pick(None, torch.int64, torch.float64))


@spec("atleast_1d atleast_2d", "torch:* torch.functional:*")
def at_least(d: Draw):
    return d.tensor(rank=d.integer(0, 2), dtype=d.any_type()),


@spec("scatter_reduce", TORCH)
def scatter_reduce(d: Draw):
    x = d.tensor(d.shape(d.integer(1, 4)))
    index = torch.zeros([d.integer(1, s) if s else 0 for s in x.shape], dtype=torch.int64)
    return x, 0, index, d.tensor(index.shape, x.dtype), d.pick("sum", "mean", "amax", "prod")


@spec("trace", TORCH)
def trace(d: Draw):
    return d.tensor(rank=2, dtype=d.any_type()),


@spec("tensordot", "torch:* torch.functional:*")
def tensordot(d: Draw):
    shared = d.shape(d.integer(0, 2))
    return (d.tensor([*d.shape(d.integer(0, 2)), *shared]), d.tensor([*shared, *d.shape(d.integer(0, 2))])), dict(dims=len(shared))


@spec("pixel_shuffle pixel_unshuffle", FUNCTIONAL)
def pixels(d: Draw):
    return d.tensor([d.integer(1, 2), 4 * d.integer(1, 2), 4, 2]), d.pick(1, 2, 2, 3)


@spec("unfold", FUNCTIONAL)
def unfold(d: Draw):
    return (d.tensor([d.integer(1, 2), d.integer(1, 3), 6, 5]), d.pick(2, (3, 2))), dict(stride=d.pick(1, 2), padding=d.pick(0, (1, 0)))


@spec("grid_sample", FUNCTIONAL)
def grid_sample(d: Draw):
    batch = d.integer(1, 2)
    return (d.tensor([batch, 2, 4, 3]), d.tensor([batch, d.integer(1, 3), 2, 2])), dict(align_corners=d.maybe())


def two_vectors(d: Draw):
    x = d.tensor(rank=d.integer(1, 3))
    return x, d.tensor(d.broadcastable(x.shape))


@spec("cosine_similarity", FUNCTIONAL)
def cosine_similarity(d: Draw):
    x, y = two_vectors(d)
    return (x, y), dict(dim=d.dim(x.dim()))


@spec("pairwise_distance", FUNCTIONAL)
def pairwise_distance(d: Draw):
    return two_vectors(d), dict(keepdim=d.maybe())


@spec("cdist", "torch:*")
def cdist(d: Draw):
    batch, width = d.shape(d.integer(0, 1)), d.integer(1, 3)
    return d.tensor([*batch, 3, width]), d.tensor([*batch, 2, width])


@spec("gru_cell rnn_tanh_cell rnn_relu_cell lstm_cell", "torch:*")
def cell(d: Draw):
    gates = d.pick(1, 3, 4)
    batch, inputs, width = (d.integer(1, 3) for _ in range(3))
    state = d.tensor([batch, width], torch.float32)
    weights = [d.tensor(s, torch.float32) for s in ([gates * width, inputs], [gates * width, width], [gates * width], [gates * width])]
    return d.tensor([batch, inputs], torch.float32), (state, d.tensor([batch, width], torch.float32)) if gates == 4 else state, *weights


@spec("lstm", "torch:*")
def lstm(d: Draw):
    batch, steps, inputs, width = (d.integer(1, 3) for _ in range(4))
    layers, ways, first = d.integer(1, 2), d.integer(1, 2), d.maybe()
    module = torch.nn.LSTM(inputs, width, layers, bidirectional=ways == 2, batch_first=first)
    state = [torch.zeros(layers * ways, batch, width) for _ in range(2)]
    x = d.tensor([batch, steps, inputs] if first else [steps, batch, inputs], torch.float32)
    return x, tuple(state), module._flat_weights, True, layers, d.pick(0.0, 0.5), d.maybe(), ways == 2, first


@spec("gru", "torch:*")
def gru(d: Draw):
    batch, steps, inputs, width = (d.integer(1, 3) for _ in range(4))
    layers, ways, first = d.integer(1, 2), d.integer(1, 2), d.maybe()
    module = torch.nn.GRU(inputs, width, layers, bidirectional=ways == 2, batch_first=first)
    x = d.tensor([batch, steps, inputs] if first else [steps, batch, inputs], torch.float32)
    return x, torch.zeros(layers * ways, batch, width), module._flat_weights, True, layers, d.pick(0.0, 0.5), d.maybe(), ways == 2, first


@spec("multi_head_attention_forward", FUNCTIONAL)
def multi_head_attention_forward(d: Draw):
    heads, batch, target, source = d.integer(1, 3), d.integer(1, 2), d.integer(1, 4), d.integer(1, 4)
    width, apart, longer, batched = heads * d.integer(1, 3), d.maybe(0.3), d.maybe(0.3), d.maybe(0.8)
    inputs = (d.integer(1, 4), d.integer(1, 4)) if apart else (width, width)
    module = torch.nn.MultiheadAttention(width, heads, kdim=inputs[0], vdim=inputs[1], add_bias_kv=longer, bias=d.maybe(0.8))
    for parameter in module.parameters():
        parameter.requires_grad_(d.maybe(0.3))
    apart = not module._qkv_same_embed_dim
    query, key, value = (d.tensor([length, *[batch] * batched, size], torch.float32)
                         for length, size in ((target, width), (source, inputs[0]), (source, inputs[1])))
    if inputs == (width, width) and d.maybe():
        key = value = query
        source = target
    masks = dict(attn_mask=d.pick(None, torch.zeros(target, source, dtype=torch.bool), torch.zeros(target, source),
                                  torch.zeros((batch if batched else 1) * heads, target, source), torch.zeros(target, source + 1)),
                 key_padding_mask=d.pick(None, torch.zeros([*[batch] * batched, source], dtype=d.pick(torch.bool, torch.float32))))
    weights = dict(q_proj_weight=module.q_proj_weight, k_proj_weight=module.k_proj_weight, v_proj_weight=module.v_proj_weight)
    return (query, key, value, width, heads, module.in_proj_weight, module.in_proj_bias, module.bias_k, module.bias_v, d.maybe(0.3),
            d.pick(0.0, 0.5), module.out_proj.weight, module.out_proj.bias), dict(
        training=d.maybe(), need_weights=d.maybe(), average_attn_weights=d.maybe(), use_separate_proj_weight=apart,
        is_causal=d.maybe(0.1), **masks, **(weights if apart else {}))


@spec("_native_multi_head_attention", "torch:*")
def native_multi_head_attention(d: Draw):
    heads = d.integer(1, 3)
    width = heads * d.integer(1, 3)
    module = torch.nn.MultiheadAttention(width, heads).requires_grad_(d.maybe(0.2))
    x = d.tensor([d.integer(1, 2), d.integer(1, 4), width], torch.float32)
    return (x, x, x, width, heads, module.in_proj_weight, module.in_proj_bias, module.out_proj.weight, module.out_proj.bias), dict(
        need_weights=d.maybe(), average_attn_weights=d.maybe())


@spec("_transformer_encoder_layer_fwd", "torch:*")
def transformer_encoder_layer_fwd(d: Draw):
    heads = d.integer(1, 3)
    width = heads * d.integer(1, 3)
    layer = torch.nn.TransformerEncoderLayer(width, heads, d.integer(1, 4)).requires_grad_(d.maybe(0.2))
    attention = layer.self_attn
    return (d.tensor([d.integer(1, 2), d.integer(1, 4), width], torch.float32), width, heads, attention.in_proj_weight, attention.in_proj_bias,
            attention.out_proj.weight, attention.out_proj.bias, d.maybe(), d.maybe(), 1e-5, layer.norm1.weight, layer.norm1.bias,
            layer.norm2.weight, layer.norm2.bias, layer.linear1.weight, layer.linear1.bias, layer.linear2.weight, layer.linear2.bias)


@spec("embedding_bag", FUNCTIONAL)
def embedding_bag(d: Draw):
    weight = d.tensor([5, d.integer(1, 4)], d.pick(torch.float32, torch.float64))
    index = torch.randint(0, 5, [6])
    kwargs = dict(mode=d.pick("sum", "mean", "max"))
    if d.maybe(0.3):
        return (index.view(2, 3), weight), kwargs
    return (index, weight, torch.tensor([0, 2, 6])), kwargs | dict(include_last_offset=d.maybe())


@spec("index_fill", IN_PLACE)
def index_fill(d: Draw):
    x = d.tensor(d.shape(d.integer(1, 4)), d.any_type())
    dim = d.integer(0, x.dim() - 1)
    return x, dim, torch.randint(0, max(x.shape[dim], 1), [2]), d.pick(1, 2.5)


@spec("bucketize", "torch:*")
def bucketize(d: Draw):
    return d.tensor(), torch.arange(3, dtype=d.float_type())


@spec("searchsorted", "torch:*")
def searchsorted(d: Draw):
    return torch.arange(3, dtype=d.float_type()), d.tensor()


@spec("alpha_dropout", FUNCTIONAL)
def alpha_dropout(d: Draw):
    return (d.tensor(),), dict(training=d.maybe(0.3), p=d.pick(0.0, 0.5))


@spec("gumbel_softmax", FUNCTIONAL)
def gumbel_softmax(d: Draw):
    x = d.tensor(rank=d.integer(1, 3))
    return (x,), dict(hard=d.maybe(), dim=d.dim(x.dim()))


@spec("as_tensor", "torch:*")
def as_tensor(d: Draw):
    return (d.pick(d.tensor(dtype=d.any_type()), 2, [1.5, 2]),), dict(dtype=d.pick(None, None, torch.float32))


@spec("new_tensor", "*")
def new_tensor(d: Draw):
    return (d.tensor(dtype=d.any_type()), d.pick(2, [1, 2], [[1.5]], True)), dict(dtype=d.pick(None, None, torch.float32))


@spec("randperm", "torch:*")
def randperm(d: Draw):
    return d.integer(0, 4),


@spec("tril_indices triu_indices", "torch:*")
def triangle_indices(d: Draw):
    return d.integer(0, 4), d.integer(0, 4), d.integer(-3, 3)
