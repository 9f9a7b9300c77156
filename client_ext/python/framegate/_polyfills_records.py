"""Python code that the translator interprets in place of what collections.namedtuple evaluates from text.

As in `_polyfills`.
"""


def _listed(names):
    names = [repr(name) for name in names]
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + f", and {names[-1]}"


def named_tuple_new(typename, names):
    """The `__new__` of a named tuple's class: a lambda of one parameter for each field. Defaults are given to it afterwards."""
    def new(_cls, *args, **kwargs):
        called = f"{typename}.__new__()"
        defaults = new.__defaults__ or ()
        given = dict(zip(names, args))
        if len(args) > len(names):
            least, most = len(names) + 1 - len(defaults), len(names) + 1
            takes = f"from {least} to {most}" if defaults else f"{most}"
            raise TypeError(f"{called} takes {takes} positional argument{'' if most == 1 else 's'} but {len(args) + 1} were given")
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"{called} got an unexpected keyword argument {name!r}")
            if name in given:
                raise TypeError(f"{called} got multiple values for argument {name!r}")
            given[name] = value
        for name, value in zip(names[len(names) - len(defaults):], defaults):
            if name not in given:
                given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"{called} missing {len(missing)} required positional argument{'s' if len(missing) > 1 else ''}: "
                            f"{_listed(missing)}")
        return tuple.__new__(_cls, tuple([given[name] for name in names]))
    return new
