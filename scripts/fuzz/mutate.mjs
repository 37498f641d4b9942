// Mutations of texts for fuzzing, with seeded random numbers.

/** Creates a function that returns a whole number from 0 up to a limit (xorshift32). */
export function randomOf(seed) {
  let state = seed * 2_654_435_761 || 1
  return (limit) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
}

const SIGNS = [
  '',
  ' ',
  '\n',
  '\t',
  '"',
  "'",
  '\\',
  '{',
  '}',
  '!',
  ',',
  ':',
  '/',
  '-',
  '--',
  '#',
  '\u00a0',
  '\ufeff',
  '\u0000',
]
const VALUES = '0 -1 65536 2147483648 4294967296 1e9 0x10 10.0.0.1 10.0.0.0/33 fd00::1 :: ::/0 null'
const NAMES =
  '-A -j DROP -m comment --comment --dport COMMIT *nat create add hash:ip table chain elements vmap dnat daddr'
const WORDS = [...SIGNS, ...VALUES.split(' '), ...NAMES.split(' ')]

const MUTATIONS = [removed, repeated, inserted, exchanged, spliced, changed]

/** Returns a text with one to four mutations. */
export function mutated(text, corpus, random) {
  let result = text
  for (let left = 1 + random(4); left > 0; left--) {
    const mutate = MUTATIONS[random(MUTATIONS.length)]
    result = mutate(result, random, corpus).slice(0, 20_000)
  }
  return result
}

/** Splits a text into words, signs and the text between them. */
function parts(text) {
  return text.match(/\s+|[\w.]+|[^\w\s]/g) ?? []
}

function withParts(text, random, edit) {
  const all = parts(text)
  if (all.length === 0) return text
  const at = random(all.length)
  edit(all, at, 1 + random(Math.min(8, all.length - at)))
  return all.join('')
}

function removed(text, random) {
  return withParts(text, random, (all, at, count) => all.splice(at, count))
}

function repeated(text, random) {
  return withParts(text, random, (all, at, count) => all.splice(at, 0, ...all.slice(at, at + count)))
}

function inserted(text, random) {
  return withParts(text, random, (all, at) => all.splice(at, 0, WORDS[random(WORDS.length)]))
}

function changed(text, random) {
  return withParts(text, random, (all, at) => all.splice(at, 1, WORDS[random(WORDS.length)]))
}

/** Swaps two parts of the text. */
function exchanged(text, random) {
  return withParts(text, random, (all, at) => {
    const other = random(all.length)
    const [one, two] = [all[at], all[other]]
    all[at] = two
    all[other] = one
  })
}

/** Joins the beginning of the text with lines of another text. */
function spliced(text, random, corpus) {
  const [own, others] = [text.split('\n'), corpus[random(corpus.length)].split('\n')]
  const from = random(others.length)
  own.splice(random(own.length + 1), 0, ...others.slice(from, from + 1 + random(4)))
  return own.join('\n')
}
