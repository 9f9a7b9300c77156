"""A GPT in the style of nanoGPT, in plain PyTorch, small enough to train on a CPU. Nothing here knows of a compiler."""
import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class GPTConfig:
    vocabulary: int = 96
    context: int = 64
    layers: int = 12
    heads: int = 4
    width: int = 64
    dropout: float = 0.0
    bias: bool = False


class LayerNorm(nn.Module):
    """LayerNorm with an optional bias."""

    def __init__(self, width, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.width % config.heads == 0
        self.heads, self.width, self.dropout = config.heads, config.width, config.dropout
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=config.bias)
        self.projection = nn.Linear(config.width, config.width, bias=config.bias)
        self.residual_dropout = nn.Dropout(config.dropout)

    def forward(self, x):
        batch, length, width = x.size()
        q, k, v = self.qkv(x).split(self.width, dim=2)
        q, k, v = (t.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0, is_causal=True)
        y = y.transpose(1, 2).contiguous().view(batch, length, width)
        return self.residual_dropout(self.projection(y))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.expand = nn.Linear(config.width, 4 * config.width, bias=config.bias)
        self.gelu = nn.GELU()
        self.projection = nn.Linear(4 * config.width, config.width, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x):
        return self.dropout(self.projection(self.gelu(self.expand(x))))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1, self.attention = LayerNorm(config.width, config.bias), CausalSelfAttention(config)
        self.ln_2, self.mlp = LayerNorm(config.width, config.bias), MLP(config)

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(dict(
            tokens=nn.Embedding(config.vocabulary, config.width),
            positions=nn.Embedding(config.context, config.width),
            dropout=nn.Dropout(config.dropout),
            blocks=nn.ModuleList([Block(config) for _ in range(config.layers)]),
            ln=LayerNorm(config.width, config.bias),
        ))
        self.head = nn.Linear(config.width, config.vocabulary, bias=False)
        self.transformer.tokens.weight = self.head.weight   # one table for both ends
        self.apply(self._initialize)
        for name, parameter in self.named_parameters():
            if name.endswith("projection.weight"):
                nn.init.normal_(parameter, mean=0.0, std=0.02 / math.sqrt(2 * config.layers))

    @staticmethod
    def _initialize(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, tokens, targets=None):
        _, length = tokens.size()
        assert length <= self.config.context, f"cannot read {length} tokens, only {self.config.context}"
        positions = torch.arange(0, length, dtype=torch.long, device=tokens.device)
        x = self.transformer.dropout(self.transformer.tokens(tokens) + self.transformer.positions(positions))
        for block in self.transformer.blocks:
            x = block(x)
        x = self.transformer.ln(x)
        if targets is None:
            return self.head(x[:, [-1], :]), None   # only the last position is of interest
        logits = self.head(x)
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)

    def optimizer(self, learning_rate=3e-4, weight_decay=0.1):
        """AdamW; only matrices decay."""
        parameters = list(self.parameters())
        groups = [{"params": [p for p in parameters if p.dim() >= 2], "weight_decay": weight_decay},
                  {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.95))


class Corpus:
    """Endless batches of characters from a small text."""

    def __init__(self, text, context, seed=0):
        self.data = torch.tensor([min(max(ord(c) - 32, 0), 95) for c in text], dtype=torch.long)
        self.context = context
        self.generator = torch.Generator().manual_seed(seed)

    def batch(self, size=4):
        starts = torch.randint(len(self.data) - self.context - 1, (size,), generator=self.generator).tolist()
        x = torch.stack([self.data[i:i + self.context] for i in starts])
        y = torch.stack([self.data[i + 1:i + 1 + self.context] for i in starts])
        return x, y


def train(model, compiled, steps, seed=0):
    """A usual training loop. Returns the losses as Python floats, which are exact."""
    with open(__file__) as file:
        corpus = Corpus(file.read(), model.config.context, seed)
    optimizer = model.optimizer()
    losses = []
    for _ in range(steps):
        x, y = corpus.batch()
        _, loss = compiled(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses
