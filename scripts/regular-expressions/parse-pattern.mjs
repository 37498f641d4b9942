const MOST = 0x10ffff

const ESCAPED_SETS = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
}

const CONTROLS = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0, b: 8 }

const ASSERTIONS = { '^': 'start', $: 'end' }

export const WORD = ESCAPED_SETS.w

export const LINE_TERMINATORS = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
]

const ANY = [[0, MOST]]

/** Returns the ranges of characters that are not in `ranges`. */
export function complement(ranges) {
  const result = []
  let from = 0
  for (const [low, high] of [...ranges].sort(([a], [b]) => a - b)) {
    if (low > from) result.push([from, low - 1])
    from = Math.max(from, high + 1)
  }
  return from > MOST ? result : [...result, [from, MOST]]
}

/**
 * Parses a regular expression into nodes: `set` (one character), `sequence`, `alternatives`, `repeat`, `assertion` and
 * `look`. Throws an error for syntax that no source uses, such as references to groups.
 */
export function parsePattern(source, flags) {
  const reader = { source, position: 0, flags }
  const node = readAlternatives(reader)
  if (reader.position < source.length) throw unsupported(reader)
  return node
}

function readAlternatives(reader) {
  const nodes = [readSequence(reader)]
  while (take(reader, '|')) nodes.push(readSequence(reader))
  return nodes.length === 1 ? nodes[0] : { type: 'alternatives', nodes }
}

function readSequence(reader) {
  const nodes = []
  while (reader.position < reader.source.length && !'|)'.includes(reader.source[reader.position])) {
    nodes.push(readQuantifier(reader, readTerm(reader)))
  }
  return { type: 'sequence', nodes }
}

function readTerm(reader) {
  const character = next(reader)
  if (character === '(') return readGroup(reader)
  if (character === '[') return set(reader, readClass(reader))
  if (character === '.') return set(reader, reader.flags.includes('s') ? ANY : complement(LINE_TERMINATORS))
  if (character === '\\') return readEscape(reader)
  const kind = ASSERTIONS[character]
  return kind === undefined ? set(reader, single(character)) : { type: 'assertion', kind }
}

function readEscape(reader) {
  const letter = reader.source[reader.position]
  if (letter === 'b' || letter === 'B') {
    reader.position++
    return { type: 'assertion', kind: letter === 'b' ? 'boundary' : 'noBoundary' }
  }
  return set(reader, readEscapedSet(reader))
}

function readGroup(reader) {
  const look = /(?:\?(?<behind><)?(?<sign>[=!]))?/y
  look.lastIndex = reader.position
  const { behind, sign } = look.exec(reader.source).groups
  if (sign !== undefined) reader.position = look.lastIndex
  else if (take(reader, '?')) {
    if (take(reader, '<')) reader.position = reader.source.indexOf('>', reader.position) + 1
    else if (!take(reader, ':')) throw unsupported(reader)
  }
  const node = readAlternatives(reader)
  if (!take(reader, ')')) throw unsupported(reader)
  return sign === undefined ? node : { type: 'look', isBehind: behind !== undefined, isNegative: sign === '!', node }
}

function readQuantifier(reader, node) {
  const quantifier = /[*+?]|\{(\d+)(?:(,)(\d*))?\}/y
  quantifier.lastIndex = reader.position
  const found = quantifier.exec(reader.source)
  if (found === null) return node
  reader.position = quantifier.lastIndex
  take(reader, '?')
  const [text, least, comma, most] = found
  if (least === undefined)
    return { type: 'repeat', node, least: text === '+' ? 1 : 0, most: text === '?' ? 1 : Infinity }
  const limit = comma === undefined ? Number(least) : most === '' ? Infinity : Number(most)
  return { type: 'repeat', node, least: Number(least), most: limit }
}

function readClass(reader) {
  const isNegated = take(reader, '^')
  const ranges = []
  while (!take(reader, ']')) {
    const low = readClassItem(reader)
    const isRange = reader.source[reader.position] === '-' && reader.source[reader.position + 1] !== ']'
    if (isRange && isSingle(low)) {
      reader.position++
      ranges.push([low[0][0], readClassItem(reader)[0][1]])
    } else {
      ranges.push(...low)
    }
  }
  return isNegated ? complement(withCases(reader, ranges)) : ranges
}

function readClassItem(reader) {
  const character = next(reader)
  return character === '\\' ? readEscapedSet(reader) : single(character)
}

function readEscapedSet(reader) {
  const letter = next(reader)
  const ranges = ESCAPED_SETS[letter.toLowerCase()]
  if (ranges !== undefined) return letter === letter.toLowerCase() ? ranges : complement(ranges)
  if (letter === 'x') return single(String.fromCharCode(Number.parseInt(take(reader, 2), 16)))
  if (letter === 'u') return readCodePoint(reader)
  if (letter === 'p' || letter === 'P') return readProperty(reader, letter)
  if (CONTROLS[letter] !== undefined) return single(String.fromCharCode(CONTROLS[letter]))
  if (/[\w]/.test(letter)) throw unsupported(reader)
  return single(letter)
}

function readCodePoint(reader) {
  if (!take(reader, '{')) return single(String.fromCharCode(Number.parseInt(take(reader, 4), 16)))
  const end = reader.source.indexOf('}', reader.position)
  const codePoint = Number.parseInt(reader.source.slice(reader.position, end), 16)
  reader.position = end + 1
  return [[codePoint, codePoint]]
}

const properties = new Map()

/** Returns the characters of a property such as `\\p{Cc}`, as the engine knows them. */
function readProperty(reader, letter) {
  const end = reader.source.indexOf('}', reader.position) + 1
  const property = `\\${letter}${reader.source.slice(reader.position, end)}`
  reader.position = end
  if (!properties.has(property)) properties.set(property, rangesOf(new RegExp(property, 'u')))
  return properties.get(property)
}

function rangesOf(pattern) {
  const ranges = []
  for (let character = 0; character <= MOST; character++) {
    if (!pattern.test(String.fromCodePoint(character))) continue
    if (ranges.at(-1)?.[1] === character - 1) ranges.at(-1)[1] = character
    else ranges.push([character, character])
  }
  return ranges
}

const set = (reader, ranges) => ({ type: 'set', ranges: withCases(reader, ranges) })

/** Adds the other case of letters for flag `i`. */
function withCases({ flags }, ranges) {
  if (!flags.includes('i')) return ranges
  const shift = (from, to, by) =>
    ranges.flatMap(([low, high]) =>
      low <= to && high >= from ? [[Math.max(low, from) + by, Math.min(high, to) + by]] : [],
    )
  return [...ranges, ...shift(65, 90, 32), ...shift(97, 122, -32)]
}

const isSingle = (ranges) => ranges.length === 1 && ranges[0][0] === ranges[0][1]

const single = (character) => [[character.codePointAt(0), character.codePointAt(0)]]

function next(reader) {
  const character = String.fromCodePoint(reader.source.codePointAt(reader.position))
  reader.position += character.length
  return character
}

/** Takes a text if it is next, or a number of characters. */
function take(reader, text) {
  if (typeof text === 'number') {
    reader.position += text
    return reader.source.slice(reader.position - text, reader.position)
  }
  const isNext = reader.source.startsWith(text, reader.position)
  if (isNext) reader.position += text.length
  return isNext
}

const unsupported = ({ source, position }) =>
  new Error(`cannot be checked from character ${position + 1} on: ${source}`)
