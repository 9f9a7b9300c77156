"""What framegate.compile(module) returns: the module again, with another way of being called. Needs torch; imported for modules only."""
from __future__ import annotations

import copy
import typing
import weakref
from collections.abc import Callable

import torch

from framegate.import_patches import on_import
from framegate.recognition import recognise

Wrap = Callable[[Callable[..., typing.Any]], Callable[..., typing.Any]]     # a method of the original -> what is called instead
_OWN = frozenset({"_orig_mod", "_framegate_wrap", "_framegate_origin", "__call__"})
_NOT_DELEGATED = frozenset(vars(torch.nn.Module)) | frozenset(vars(object)) | {
    "__slots__", "__dict__", "__weakref__", "__module__", "__qualname__", "__annotations__", "__del__", "__getattribute__", "forward"}


class CompiledModule(torch.nn.Module):
    """Base of all compiled modules. Each is an instance of a class made for it, derived from this one and from the original's class.

    It has the original's instance dict as its own: parameters, buffers, submodules, hooks, `training` and attributes are the
    original's, not copies, so state_dict keys, isinstance, in-place moves and hooks behave as on the original. Methods that the
    original's class adds to nn.Module run on the original, as with torch.compile; those of nn.Module run on this object, so that
    `compiled.eval()` returns `compiled`. The call goes from C to the compiled code: `__call__` is a slot that holds it.
    """

    __slots__ = ()
    _orig_mod: torch.nn.Module
    _framegate_wrap: Wrap
    _framegate_origin: tuple[typing.Any, ...]     # (function, arguments) that make a twin of this for another original; see __reduce_ex__

    def __init_subclass__(cls, **kwargs: typing.Any) -> None:
        """Not passed on: the original's class must not see a subclass that its author did not write."""

    @property
    def forward(self) -> Callable[..., typing.Any]:
        """The compiled forward, without the hooks that a call of the module runs; assigning it changes the original's."""
        return self._framegate_wrap(self._orig_mod.forward)

    @forward.setter
    def forward(self, value: Callable[..., typing.Any]) -> None:
        self._orig_mod.forward = value

    @forward.deleter
    def forward(self) -> None:
        del self._orig_mod.forward

    def __setattr__(self, name: str, value: typing.Any) -> None:
        if name == "_orig_mod":
            _fill(self, value, self._framegate_wrap, self._framegate_origin)
        elif name in _OWN or name == "forward":
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def _load_from_state_dict(self, state_dict: dict[str, typing.Any], prefix: str, *args: typing.Any) -> None:
        """Checkpoints written by torch.compile's wrapper have `_orig_mod.` in front of every key; both kinds load."""
        theirs = prefix + "_orig_mod."
        for key in [key for key in state_dict if key.startswith(theirs)]:
            state_dict[prefix + key[len(theirs):]] = state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, *args)

    def _replicate_for_data_parallel(self) -> torch.nn.Module:
        return self._orig_mod._replicate_for_data_parallel()

    def __reduce_ex__(self, protocol: typing.SupportsIndex) -> tuple[typing.Any, ...]:
        make, arguments = self._framegate_origin
        return make, (self._orig_mod, *arguments)

    def __deepcopy__(self, memo: dict[int, typing.Any]) -> torch.nn.Module:
        make, arguments = self._framegate_origin
        memo[id(self)] = twin = make(copy.deepcopy(self._orig_mod, memo), *arguments)
        return twin

    def __copy__(self) -> torch.nn.Module:
        make, arguments = self._framegate_origin
        return make(copy.copy(self._orig_mod), *arguments)


class _OnOriginal:
    """A class attribute of the original's class, looked up on the original instead of on the compiled module."""

    def __init__(self, name: str, of: type) -> None:
        self._name, self._of = name, of

    def __get__(self, module: CompiledModule | None, owner: type) -> typing.Any:
        return getattr(self._of if module is None else module._orig_mod, self._name)


class _DataOnOriginal(_OnOriginal):
    """The same for properties, slots and other descriptors that take assignments."""

    def __set__(self, module: CompiledModule, value: typing.Any) -> None:
        setattr(module._orig_mod, self._name, value)

    def __delete__(self, module: CompiledModule) -> None:
        delattr(module._orig_mod, self._name)


_classes: weakref.WeakKeyDictionary[type, weakref.ref[type]] = weakref.WeakKeyDictionary()


def wrap_module(module: torch.nn.Module, wrap: Wrap, origin: tuple[typing.Any, ...]) -> CompiledModule:
    """`module` as a CompiledModule whose calls go through `wrap(module.__call__)`.

    origin   (make, arguments): `make(another, *arguments)` does for another module what was done for this one; used by copy and pickle
    """
    if isinstance(module, torch.jit.ScriptModule):
        raise RuntimeError("a torch.jit.script or torch.jit.freeze model cannot be compiled: compile the eager module instead")
    on_import("torch._dynamo", recognise)
    compiled = typing.cast(CompiledModule, object.__new__(_class_for(type(module))))
    _fill(compiled, module, wrap, origin)
    return compiled


def _fill(compiled: CompiledModule, module: torch.nn.Module, wrap: Wrap, origin: tuple[typing.Any, ...]) -> None:
    object.__setattr__(compiled, "__dict__", module.__dict__)
    own = {"_orig_mod": module, "_framegate_wrap": wrap, "_framegate_origin": origin, "__call__": wrap(module.__call__)}
    for name, value in own.items():
        object.__setattr__(compiled, name, value)


def _class_for(original: type) -> type:
    known = _classes.get(original)
    made = known() if known is not None else None
    if made is None:
        made = _make_class(original)
        _classes[original] = weakref.ref(made)
    return made


def _make_class(original: type) -> type:
    body: dict[str, typing.Any] = {"__slots__": tuple(sorted(_OWN)), "__module__": original.__module__, "__doc__": original.__doc__,
                                   "__qualname__": original.__qualname__}
    for base in original.__mro__[:original.__mro__.index(torch.nn.Module)]:
        for name, value in vars(base).items():
            if name not in _NOT_DELEGATED and name not in body and hasattr(type(value), "__get__"):
                data = hasattr(type(value), "__set__") or hasattr(type(value), "__delete__")
                body[name] = (_DataOnOriginal if data else _OnOriginal)(name, original)
    if hasattr(original, "__del__"):
        body["__del__"] = lambda self: None      # the original has its own end
    return type(original)(original.__name__, (CompiledModule, original), body)
