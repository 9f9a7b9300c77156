LIMIT = 5
TABLE = {"a": 1, "b": 2}
LOG = []


class Box:
    kind = "box"

    def __init__(self, size, tag="t"):
        self.size = size
        self.tag = tag

    @property
    def area(self):
        return self.size * self.size

    def grow(self, by=1, *, times=1):
        self.size += by * times
        return self

    def __eq__(self, other):
        return isinstance(other, Box) and self.size == other.size

    def __hash__(self):
        return hash(self.size)

    def __len__(self):
        return self.size % 4

    def __add__(self, other):
        return Box(self.size + other) if isinstance(other, int) else NotImplemented

    def __getitem__(self, index):
        if index >= 3:
            raise IndexError(index)
        return self.size + index

    def __repr__(self):
        return f"Box({self.size}, {self.tag!r})"


class Lid(Box):
    def grow(self, by=1, **options):
        super().grow(by + 1, **options)
        self.tag += "+"
        return self

    def __getattr__(self, name):
        if name.startswith("no_"):
            raise AttributeError(name)
        return len(name)


class Guarding:
    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        LOG.append("in")
        return self.swallow

    def __exit__(self, kind, value, trace):
        LOG.append(kind.__name__ if kind else "out")
        return self.swallow and kind is not None and issubclass(kind, LookupError)


class Refused(ValueError):
    pass


def f0(p0, p1, p2):
    if False:
        pass
    else:
        with Guarding(True) as v1:
            for v2, v3 in zip(list(tuple([5, 3, 3][::-1]))[:3], (2, )):
                if True: raise IndexError((lambda i, j: f'{i}-{j:>3}{i!r}')(Lid(3).area, Lid(10).kind)[0])
                v4 = Lid(5).grow()
                if v1: continue
                pass
            else:
                assert v1 or v1, p1
                assert any((sorted([], key=lambda x: -x) * 2)[:5]) or v1, p1
                pass
            pass
        pass
    v5 = 3
    while v5 > 0:
        v5 -= 1
        for v6, v7 in zip([-1, -4, -4, 0][:3], (-4, )):
            def g8(x, y=p2, *, z=2):
                return x + y * z, v6
            v9 = g8(Lid(v6, tag='a').kind.find(p1), z=(pow(10, 2) or v7))[0]
            pass
        v10, *v11 = [7, *[-4, -1, 2]]
        pass
    try:
        if False: raise IndexError(p1)
        def g12(step):
            nonlocal p2
            p2 += step
            return p2
        v13 = g12(2) + g12(3)
        pass
    except ValueError as v14:
        LOG.append((type(v14).__name__, str(v14)))
    except Refused as v15:
        LOG.append((type(v15).__name__, str(v15)))
        p0 = sum(x * 2 for x in [-1, 3, -4, -4])
    if any(list((7, ))):
        try:
            p0 = pow((Lid(0) if True else Lid(-1))[(p2 * p0 % 101)], 2)
            pass
        except AttributeError as v16:
            LOG.append((type(v16).__name__, str(v16)))
        finally:
            LOG.append('finally')
            if False: return {'b': 5, 'Long one': 10}
            v17 = (v18 := hash(-4)) > 2
        if True:
            pass
        else:
            TABLE[repr('b')] = (max(Box(-1).area, p2) % 10)
            assert False or True, 'k'[0][p2:].upper()
            pass
        p0 = (int(False) - p2)
        pass
    return {'k': -1, 'b': 3}

def f1(p0, p1, p2):
    p1 ^= 10
    v20 = -1.25
    for v21 in [len([10, 7, 1]), p1][:4]:
        for v22, v23 in enumerate((lambda i, j: f'{i}-{j:>3}{i!r}')(-1, 'Long one')[:3]):
            v24 = 2
            while v24 > 0:
                v24 -= 1
                p2[v23] = -1
                if True: raise Refused(str(v22).replace('a', 'z'))
                pass
            pass
        try:
            if False:
                if False: raise Refused('b')
                pass
            (v25, [v26, v27]) = (2, (2, 'n'))
            v28 = divmod(v26, 3)
            pass
        except Refused as v29:
            LOG.append((type(v29).__name__, str(v29)))
        else:
            for v30 in list(Box(7))[:4]:
                assert True or all(x > 0 for x in ((7, 1, ) + ((2, -4, ) + (7, 5, ))[:4])[:4]), 'k'
                pass
            else:
                v20 *= v20
                pass
            if (((*[2, 10], -4) + (-1, ))[:4] < (0, 10, )):
                p1 ^= p1
                pass
            else:
                if ('k'.upper() != (lambda i, j: f'{i}-{j:>3}{i!r}')(v21, 'k')): return False
                pass
            pass
        if isinstance(Box(0), Lid): raise Refused(type(v21).__name__)
        pass
    p2 |= dict(p2, q=5)
    return False

def f2(p0, p1, p2):
    if False:
        def g31(first, *rest, key=0, **more):
            return first + sum(rest) + key + len(more)
        v32 = g31(v32, *(-4, )[::-1], key=len(str([10, 3])), **dict({'k': 5, 'a': 10, 'xyz': 2}, q=(p1 % v32)))
        with Guarding(True) as v33:
            v34 = 4
            while v34 > 0:
                v34 -= 1
                v35, v36 = (v32 * p0[~1] % 101), str([3, 7, -4])
                v32, v35 = v35, v32
                p1 = (p0 + [2, -4, 3][-4]).area
                pass
            pass
        pass
    elif abs((float(-1) + p1)):
        def g37(x, y=p1, *, z=p1):
            return x + y * z, p1
        v38 = g37(p1, z=p1)[0]
        pass
    TABLE['%s:%d' % ('b', p1)] = divmod(p1, (p1 if False else p1))[1]
    try:
        try:
            p1 ^= int(True)
            pass
        finally:
            LOG.append('finally')
            if bool(p0):
                assert True or True, 'Long one'
                pass
            elif ', '.join(str(x) for x in [1, 3]):
                pass
            assert (5 == p1) or any([10]), str(p1)
        v39 = 1
        while v39 > 0:
            v39 -= 1
            pass
        if False: raise KeyError('xyz')
        pass
    finally:
        LOG.append('finally')
        if False: return (-1, -4, )
        v40 = (v41 := 0) > 2
    def g42(step):
        nonlocal p1
        p1 += step
        return p1
    v43 = g42(2) + g42(3)
    def g44(x, y=5, *, z=len(([-1] + [3, -1]))):
        return x + y * z, v43
    v45 = g44(sum(x * 2 for x in (list((0, )) + [v43, 0])), z=-1)[0]
    return (10, )


CALLS = [('f2', ('Lid(3)', '-4', '3.0')), ('f2', ('Box(2)', '10', '-1.25')), ('f2', ('Box(7)', '10', '0.5')), ('f2', ('Lid(3)', '-4', '3.0'))]
