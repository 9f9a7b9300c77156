"""Exception groups and except*, as _polyfills has other C functions."""


def _matches(exception, condition):
    if isinstance(condition, (type, tuple)):
        return isinstance(exception, condition)
    return bool(condition(exception))


def _same_fields(group, like):
    group.__traceback__ = like.__traceback__
    group.__context__ = like.__context__
    group.__cause__ = like.__cause__
    if hasattr(like, "__notes__"):
        group.__notes__ = list(like.__notes__)
    return group


def group_split(self, condition, /):
    """BaseExceptionGroup.split: (what matches, the rest)."""
    if isinstance(condition, type):
        valid = issubclass(condition, BaseException)
    elif isinstance(condition, tuple):
        valid = all([isinstance(kind, type) and issubclass(kind, BaseException) for kind in condition])
    else:
        valid = callable(condition)
    if not valid:
        raise TypeError("expected a function, exception type or tuple of exception types")
    if _matches(self, condition):
        return self, None
    matching, rest = [], []
    for part in self.exceptions:
        if isinstance(part, BaseExceptionGroup):
            match, other = group_split(part, condition)
            if match is not None:
                matching.append(match)
            if other is not None:
                rest.append(other)
        elif _matches(part, condition):
            matching.append(part)
        else:
            rest.append(part)
    return (_same_fields(self.derive(matching), self) if matching else None, _same_fields(self.derive(rest), self) if rest else None)


def group_subgroup(self, condition, /):
    return group_split(self, condition)[0]


def match_group(exception, types):
    """CHECK_EG_MATCH: (match, rest)."""
    for kind in types if isinstance(types, tuple) else (types,):
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        if issubclass(kind, BaseExceptionGroup):
            raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
    if exception is None:
        return None, None
    if isinstance(exception, types):
        if isinstance(exception, BaseExceptionGroup):
            return exception, None
        group = BaseExceptionGroup("", [exception]) if not isinstance(exception, Exception) else ExceptionGroup("", [exception])
        group.__traceback__ = exception.__traceback__
        return group, None
    if isinstance(exception, BaseExceptionGroup):
        return exception.split(types)
    return None, exception


def _leaves(exception, into):
    if isinstance(exception, BaseExceptionGroup):
        for part in exception.exceptions:
            _leaves(part, into)
    else:
        into.append(exception)


def _projection(group, keep):
    """The part of a group whose leaves are in `keep`, by identity."""
    return group_split(group, lambda e: not isinstance(e, BaseExceptionGroup) and any([e is k for k in keep]))[0]


def reraise_star(original, raised):
    """What a try statement with except* raises in the end, or None."""
    raised = [e for e in raised if e is not None]
    if not raised:
        return None
    if not isinstance(original, BaseExceptionGroup):
        return raised[0]
    new, old = [], []
    for exception in raised:
        is_part = exception.__traceback__ is original.__traceback__ and isinstance(exception, BaseExceptionGroup) \
            and exception.__context__ is original.__context__ and exception.__cause__ is original.__cause__
        if is_part:
            old.append(exception)
        else:
            new.append(exception)
    if old:
        leaves = []
        for exception in old:
            _leaves(exception, leaves)
        again = _projection(original, leaves)
        if not new:
            return again
        new.append(again)
    if len(new) == 1:
        return new[0]
    return ExceptionGroup("", new) if all([isinstance(e, Exception) for e in new]) else BaseExceptionGroup("", new)
