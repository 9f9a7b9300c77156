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


def f0(p0, p1):
    p0.remove(max(0, -4))
    if ((0, 0, 2, ) < ((3, ) + (-4, ))[:4]): raise IndexError(', '.join(str(x) for x in [len(w) for w in ''.split()]))
    for v1, v2 in enumerate(type(round((0.5 + 0))).__name__[:3]):
        v3 = 2
        while v3 > 0:
            v3 -= 1
            TABLE[v2] = v1
            pass
        pass
    if True: return p0
    TABLE['b'] = 2
    return (p0 & p0)

def f1(p0, p1):
    if False:
        if True: return {7}
        pass
    elif ((Lid(7) + {}.get('a', p1)) if True else Box(-4)):
        if False:
            try:
                pass
            finally:
                LOG.append('finally')
                p1 ^= p1
            if False:
                v4, *v5 = [7, *[]]
                if False: raise KeyError('xyz')
                if True: return ({x % 3 for x in v5} | {5})
                pass
            pass
        if ((str(p0) + 'a') in ({str(x): x for x in [0, 1, 5, 10]} | {})):
            with Guarding(False) as v6:
                (v7, [v8, v9]) = (Lid(0).grow(sum(x * 2 for x in [-4, 7, 5].copy())).size, (2, 'n'))
                p0 = p1
                pass
            v10 = (p0 - hash(getattr(Lid(5), 'size')))
            pass
        else:
            for v11 in [*((10, ) + (-1, 0, 3, ))[:4][::-1], p1][:4]:
                (v12, [v13, v14]) = ((sum(x * 2 for x in [-4, 5, 1, 3]) & p1), (2, 'n'))
                pass
            pass
        assert True or False, 'a'[pow(p1, 2):]
        pass
    else:
        if bool(Box(7)):
            if bool(Box(-1)):
                (v15, [v16, v17]) = (p1, (2, 'n'))
                assert False or True, (lambda i, j: f'{i}-{j:>3}{i!r}')(max(dict(k=1)[v17], p0), v17[0])
                pass
            pass
        else:
            assert ('Long one' in dict.fromkeys('xy', 5)) or True, 'k'
            if False:
                p1 %= min((0, 2, ))
                v18 = (3, 2, )
                pass
            elif Lid(-1):
                v19 = 'a'
                if isinstance((Lid(p0, tag='Long one') if True else Lid(1)), Lid): raise KeyError(str(p0)[0][round(-1.25):])
                v20 = -4
                pass
            pass
        def g21(first, *rest, key=0, **more):
            return first + sum(rest) + key + len(more)
        v22 = g21(7, *(p0, -1), key={'Long one': 0, 'k': -1, '': 5}[type(p0).__name__], **{**{str(x): x for x in [2]}, 'z': [-4].index([7].count(p0))})
        pass
    if True:
        p0, p1 = p1, p0
        v23 = 4
        while v23 > 0:
            v23 -= 1
            v24, v25 = [].count('b'.find('b')), 'Long one'
            pass
        pass
    else:
        def g26(x, y=(dict({}, q=7).get(''.replace('a', 'z'), p1) // p0), *, z=abs(getattr(Lid(1, tag='xyz'), 'size'))):
            return x + y * z, p1
        v27 = g26(max(10, 7), z=([2, 1, 3][1:] + [x for x in [1, 5, 10, 10] if x > 7])[[2, 2, 1, -4][abs(2)]])[0]
        v28 = 'xyz'
        pass
    def g29(x, y=sum(x * 2 for x in ([a * b for a in [-4][:3] for b in (-1, 1, )] + [-1, -4, 0, 7])), *, z=divmod(len(str([2, 0, 0, 0])), p0)[1]):
        return x + y * z, p0
    v30 = g29(v30, z=p1)[0]
    def g31(first, *rest, key=0, **more):
        return first + sum(rest) + key + len(more)
    v32 = g31(p1, *((p0 + v30), v30), key=p1, **{})
    v33 = 4
    while v33 > 0:
        v33 -= 1
        assert (True and isinstance(Box(1).grow(), Lid)) or True, 'xyz'
        v35 = (lambda a, b=2: (a + b, v32))(-max(max(10, v30), dict(k=1).get('xyz', 2)))[0]
        pass
    return {5, 7, 0}

def f2(p0, p1):
    if p1:
        if p1:
            v36 = dict(k=1)
            pass
        pass
    if p1: return ([-4, 1] + [7])[::-1]
    return list(Lid(2))

def f3(p0):
    if True:
        if True:
            v37 = (3, 5, 0, )
            pass
        else:
            v38 = 1
            while v38 > 0:
                v38 -= 1
                v39 = 1
                v40 = divmod(hash(v39), 3)
                pass
            v41 = 2
            while v41 > 0:
                v41 -= 1
                if False: return next(iter([*(10, ), 1]), -9)
                if False: continue
                pass
            pass
        pass
    v42 = 4
    while v42 > 0:
        v42 -= 1
        pass
    try:
        (v43, [v44, v45]) = ((int('a' or '4') - Lid(5).grow().size), (2, 'n'))
        try:
            v43 %= v43
            def g46(first, *rest, key=0, **more):
                return first + sum(rest) + key + len(more)
            v47 = g46(int(str(v43) or '4'), *(0, 10, ), key=round(-1.25), **dict(k=1))
            pass
        finally:
            LOG.append('finally')
            v49 = (lambda a, b=2: (a + b, v44))(Box(1)[(*[2], -4)[0]])[0]
        pass
    finally:
        LOG.append('finally')
    p0.update(sorted([5]))
    return [7, 10, 5].index(10)


CALLS = [('f3', ('{-1, 5, -4}',)), ('f3', ('{10}',)), ('f3', ('{-1}',)), ('f3', ('{-1, 5, -4}',))]
