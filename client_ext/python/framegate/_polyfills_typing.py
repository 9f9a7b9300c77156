"""Python code that the translator interprets in place of C functions of typing, which exist from Python 3.12 on.

As in `_polyfills`.
"""
import types
import typing


def unpacked(parameters):
    """Type parameters as a subscript takes them: a TypeVarTuple is unpacked."""
    return tuple([typing.Unpack[p] if isinstance(p, typing.TypeVarTuple) else p for p in parameters])


def subscript_generic(parameters):
    """The base class of a class with type parameters: CALL_INTRINSIC_1's SUBSCRIPT_GENERIC."""
    return typing._GenericAlias(typing.Generic, unpacked(parameters))


def generic_class_getitem(cls, *args):
    return typing._generic_class_getitem(cls, *args)


def generic_init_subclass(cls, *args, **kwargs):
    return typing._generic_init_subclass(cls, *args, **kwargs)


def type_var_subst(self, arg, /):
    return typing._typevar_subst(self, arg)


def type_var_prepare_subst(self, alias, args, /):
    parameters = alias.__parameters__
    index = parameters.index(self)
    if index != len(args):
        return args
    default = self.__default__
    if default is typing.NoDefault:
        raise TypeError(f"Too few arguments for {alias}")
    return (*args, default)


def param_spec_subst(self, arg, /):
    return typing._paramspec_subst(self, arg)


def param_spec_prepare_subst(self, alias, args, /):
    return typing._paramspec_prepare_subst(self, alias, args)


def type_var_tuple_subst(self, arg, /):
    raise TypeError("Substitution of bare TypeVarTuple is not supported")


def type_var_tuple_prepare_subst(self, alias, args, /):
    return typing._typevartuple_prepare_subst(self, alias, args)


def type_var_tuple_iter(self):
    return iter((typing.Unpack[self],))


def parameter_or(self, other, /):
    return typing.Union[self, other]


def parameter_ror(self, other, /):
    return typing.Union[other, self]


def named_repr(self):
    return self.__name__


def parameter_repr(self):
    if self.__infer_variance__:
        return self.__name__
    return ("+" if self.__covariant__ else "-" if self.__contravariant__ else "~") + self.__name__


def has_default(self):
    return self.__default__ is not typing.NoDefault


def alias_getitem(self, key, /):
    if self.__type_params__ == ():
        raise TypeError("Only generic type aliases are subscriptable")
    return types.GenericAlias(self, key)
