import fc from 'fast-check'
import { anyText } from './any-text.js'

/** Texts with a meaning for a shell, iptables-restore, a name resolver, JavaScript or a terminal. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '-',
  '-j',
  '!',
  '#',
  '*nat',
  'COMMIT',
  'web" -j ACCEPT\n-A PREROUTING -j ACCEPT\n#',
  'web\nCOMMIT\n*nat\n:PREROUTING DROP [0:0]\nCOMMIT',
  'web"',
  "it's",
  'back\\slash',
  '`id`',
  '$(id)',
  'a b',
  'a\tb',
  'a;b',
  'a/b',
  'a,b',
  'a\r',
  'a\0b',
  'A',
  'a_b',
  'a.b',
  'a-',
  'ünï',
  '日本',
  '\u2028',
  '\u202e',
  '\ud800',
  'x'.repeat(64),
  'x'.repeat(300),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'None',
  'Local',
  'ExternalName',
  'ClientIP',
  'IPv6',
  'SCTP',
  'tcp',
  'http',
  'localhost',
  'kube-dns.kube-system.svc',
  '010.0.0.1',
  '10.1',
  '0x0a000001',
  '1.2.3.4,5.6.7.8',
  '1.2.3.4 -j ACCEPT',
  '1.2.3.4\n',
  '256.1.1.1',
  '0.0.0.0',
  '127.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  'fe80::1%eth0',
  '[fd00::1]:80',
  'FD00::000A',
  '0.0.0.0/0',
  '10.0.0.1/8',
  '10.0.0.0/33',
  '10.0.0.0/8,fd00::/8',
  '10.0.0.0/255.0.0.0',
  '10.0.0.0/8 -j ACCEPT',
  '::ffff:1.2.3.0/120',
  'eth0 -j ACCEPT',
  'eth0+',
  'eth/0',
  'interface-name-too-long',
  '1e3',
  'NaN',
]

export const hostileTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: anyText() },
)

const HOSTILE_NUMBERS = [0, -0, -1, 1.5, 65535, 65536, 2 ** 31, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]

/** JSON objects with the keys of JavaScript's own objects. Each use parses a new copy. */
const HOSTILE_JSON = [
  '{"__proto__":{"name":"x","spec":{}}}',
  '{"constructor":1,"toString":2,"valueOf":3,"length":4}',
  '{"toString":null,"valueOf":null}',
  '{"length":3,"0":"a"}',
  '{"length":{"toString":null,"valueOf":null}}',
  '[[[]]]',
  '[null,1,"",{},[]]',
  '{"name":["x"],"ip":{},"port":"80","addresses":{}}',
]

/** One value of each type, and of each object structure that can break a reader. */
export const ANY_TYPES: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  65536,
  1.5,
  Number.NaN,
  '',
  'web"\n-A PREROUTING -j ACCEPT',
  '__proto__',
  [],
  [null],
  [[]],
  {},
  Object.create(null),
  ...HOSTILE_JSON.map((text): unknown => JSON.parse(text)),
]

/** Generates a value of any type, as JSON or a careless caller may have it in any location. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileTexts },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...HOSTILE_NUMBERS, null, undefined, true, false) },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_JSON).map((text): unknown => JSON.parse(text)) },
  { weight: 1, arbitrary: fc.array(hostileTexts, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(hostileTexts, hostileTexts, { maxKeys: 2 }) },
)

type Path = readonly string[]

/** Replaces values at some locations of `value`; the index of a location wraps around. */
export function withReplacements<T>(value: T, replacements: readonly (readonly [place: number, by: unknown])[]): T {
  let result: unknown = value
  for (const [place, by] of replacements) {
    const paths = pathsIn(result)
    result = replaceAt(result, paths[place % paths.length] ?? [], by)
  }
  return result as T
}

/** Returns a copy of the value for each of its locations and each of these values, with that location replaced. */
export function everyReplacement<T>(value: T, values: readonly unknown[]): readonly T[] {
  return pathsIn(value).flatMap((path) => values.map((by) => replaceAt(value, path, by) as T))
}

/** Returns the paths of all parts of a value, the value itself first. */
function pathsIn(value: unknown): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [[]]
  return [[], ...Object.entries(value).flatMap(([key, item]) => pathsIn(item).map((path) => [key, ...path]))]
}

function replaceAt(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? replaceAt(item, rest, by) : item))
  const entries = Object.entries(Object(value)).map(([name, item]) => [
    name,
    name === key ? replaceAt(item, rest, by) : item,
  ])
  return Object.fromEntries(entries)
}

/** Generates a value with up to `most` of its parts replaced by hostile values. */
export function spoiled<T>(value: fc.Arbitrary<T>, most = 3): fc.Arbitrary<T> {
  const replacements = fc.array(fc.tuple(fc.nat(), hostileValues), { minLength: 1, maxLength: most })
  return fc.tuple(value, replacements).map(([original, by]) => withReplacements(original, by))
}
