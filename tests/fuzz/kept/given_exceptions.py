"""Exceptions that the program is given: raised, handled, raised again; their tracebacks and contexts are as they would be."""
LOG = []
TABLE = {}


def chain(error):
    told = []
    while error is not None:
        trace, lines = error.__traceback__, []
        while trace is not None:
            lines.append(trace.tb_lineno)
            trace = trace.tb_next
        told.append((type(error).__name__, lines, error.__suppress_context__))
        error = error.__cause__ or error.__context__
    LOG.append(told)


def within_a_handler(given):
    try:
        return TABLE["k"]
    except KeyError:
        raise given


def instead_of_it(given):
    try:
        raise given
    except ValueError as error:
        raise TypeError("x") from error


def swallowed(given):
    try:
        raise given
    except ValueError:
        pass
    return given.__traceback__ is not None, given.__context__ is None


def through_a_finally(given):
    try:
        try:
            raise given
        finally:
            LOG.append("finally")
    except ValueError as error:
        return error.__traceback__ is not None


def around(given):
    try:
        return TABLE["k"]
    except KeyError:
        return swallowed(given)


def told(function, given):
    try:
        LOG.append(function(given))
    except Exception as error:
        chain(error)
    chain(given)


def all_of_them(number):
    for function in (within_a_handler, instead_of_it, swallowed, through_a_finally, around):
        told(function, ValueError(number))
    return number


CALLS = [('within_a_handler', ('ValueError(1)',)), ('instead_of_it', ('ValueError(1)',)), ('swallowed', ('ValueError(1)',)), ('through_a_finally', ('ValueError(1)',)), ('around', ('ValueError(2)',)), ('all_of_them', ('1',)), ('around', ('ValueError(3)',))]
