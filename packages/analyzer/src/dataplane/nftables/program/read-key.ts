import { peekToken, type Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import {
  consumeFamily,
  consumeInteger,
  consumeText,
  consumeWord,
  isPunctuation,
  skipPunctuation,
  skipWord,
} from '../parse/tokens.js'
import { type KeyPart, needsOfKey } from './clause.js'
import type { SelectorRow } from './selector-row.js'
import { findSelectorRow } from './selectors.js'
import { type Skip, skipAll, skipAnyWord, skipEntry, skipInteger, skipNothing, skipOneOf, skipOptions } from './skip.js'

/** Reads selectors separated by ` . `. Undefined if a word does not belong to a known selector. */
export function readKey(scanner: Scanner): readonly KeyPart[] | undefined {
  return readParts(scanner, (each) => readGenerated(each) ?? readSelectorPart(each))
}

function readParts(
  scanner: Scanner,
  readPart: (scanner: Scanner) => KeyPart | undefined,
): readonly KeyPart[] | undefined {
  const key: KeyPart[] = []
  do {
    const part = readPart(scanner)
    if (part === undefined) return undefined
    key.push(part)
  } while (skipWord(scanner, '.'))
  return key
}

function readSelectorPart(scanner: Scanner): KeyPart | undefined {
  const row = readSelector(scanner)
  return row === undefined ? undefined : { kind: 'selector', row }
}

/** Reads a generated number: `numgen random mod 2`, `jhash ip saddr mod 2 seed 0x1`, `symhash mod 2 offset 5`. */
function readGenerated(scanner: Scanner): KeyPart | undefined {
  const generator = GENERATORS.find((each) => skipWord(scanner, each))
  if (generator === undefined) return undefined
  const mode = generator === 'numgen' ? consumeWord(scanner) : undefined
  const hashed = generator === 'jhash' ? readParts(scanner, readSelectorPart) : []
  if (hashed === undefined || !skipWord(scanner, 'mod')) return undefined
  const mod = consumeInteger(scanner)
  if (mod === undefined || mod === 0 || !skipSeed(scanner)) return undefined
  const offset = skipWord(scanner, 'offset') ? consumeInteger(scanner) : 0
  if (offset === undefined) return undefined
  return { kind: 'generated', isRandom: mode === 'random', mod, offset, needs: needsOfKey(hashed) }
}

const GENERATORS = ['numgen', 'jhash', 'symhash'] as const
const skipSeed = skipOptions({ seed: skipAnyWord })

/** The `meta` keys that nft also reads without the word `meta`. */
const BARE_META: ReadonlySet<string> = new Set(
  `mark iif iifname iiftype iifgroup oif oifname oiftype oifgroup skuid skgid nftrace rtclassid ibriport obriport
   ibrname obrname pkttype cpu cgroup time day hour`.match(/\S+/g),
)

function readSelector(scanner: Scanner): SelectorRow | undefined {
  const word = consumeWord(scanner) ?? ''
  if (BARE_META.has(word)) return findSelectorRow(`meta ${word}`)
  switch (word) {
    case 'ct':
      return readCtSelector(scanner)
    case 'fib':
      return readFibSelector(scanner)
    case '@ll':
    case '@nh':
    case '@th':
    case '@ih':
      return skipBytes(scanner) ? findSelectorRow(word) : undefined
    case 'ipsec':
      return skipIpsec(scanner) ? findSelectorRow(word) : undefined
    case 'osf':
      if (skipWord(scanner, 'ttl')) consumeWord(scanner)
      return findSelectorRow(`osf ${consumeWord(scanner)}`)
    case 'rt':
      consumeFamily(scanner)
      return findSelectorRow(`rt ${consumeWord(scanner)}`)
    default:
      return readFieldSelector(scanner, word)
  }
}

/** The words of a field that more words follow, with the words that may follow its name. */
const NAMED_FIELDS: ReadonlyMap<string, ReadonlySet<string | undefined>> = new Map([
  ['tcp option', wordSet('size count left right tsval tsecr length kind shift sack-perm subtype value')],
  ['ip option', wordSet('type length value ptr addr')],
  ['dccp option', wordSet('')],
  ['sctp chunk', wordSet('type flags length init-tag a-rwnd num-outbound-streams num-inbound-streams initial-tsn tsn')],
])

function wordSet(words: string): ReadonlySet<string | undefined> {
  return new Set(words.split(' '))
}

function readFieldSelector(scanner: Scanner, header: string): SelectorRow | undefined {
  const selector = `${header} ${consumeWord(scanner)}`
  const row = findSelectorRow(selector)
  const fields = NAMED_FIELDS.get(selector)
  if (selector === 'socket cgroupv2' && skipWord(scanner, 'level')) consumeWord(scanner)
  if (fields === undefined) return row
  if (consumeText(scanner) === undefined) return undefined
  const { at } = scanner
  if (!fields.has(consumeWord(scanner))) scanner.at = at
  return row
}

function readCtSelector(scanner: Scanner): SelectorRow | undefined {
  const direction = skipWord(scanner, 'original') ? 'original ' : skipWord(scanner, 'reply') ? 'reply ' : ''
  const family = consumeFamily(scanner)
  return findSelectorRow(`ct ${direction}${family === undefined ? '' : `${family} `}${consumeWord(scanner)}`)
}

/** Reads `fib daddr . iif type`. The mark does not change the type of an address. */
function readFibSelector(scanner: Scanner): SelectorRow | undefined {
  const flags: (string | undefined)[] = []
  do flags.push(consumeWord(scanner))
  while (skipWord(scanner, '.'))
  const result = consumeWord(scanner)
  return findSelectorRow(`fib ${flags.filter((flag) => flag !== 'mark').join(' . ')} ${result}`)
}

const skipComma: Skip = (scanner) => skipPunctuation(scanner, ',')
/** Skips `,16,16` after `@th`. */
const skipBytes = skipAll(skipComma, skipInteger, skipComma, skipInteger)

/** Skips `in reqid`, `out spnum 0 ip saddr`. */
const skipIpsec = skipAll(
  skipOneOf('in', 'out'),
  skipOptions({ spnum: skipInteger }),
  skipEntry({ reqid: skipNothing, spi: skipNothing, ip: skipAnyWord, ip6: skipAnyWord }),
)

/** Reports whether the next token belongs to a value: an operator, or a part of a concatenation. */
export function hasOperator(scanner: Scanner): boolean {
  const token = peekToken(scanner)
  if (isPunctuation(token, ',') || isPunctuation(token, '{')) return true
  return token.kind === 'word' && (OPERATORS.has(token.text) || /^[-|&^/<>=!]/.test(token.text))
}

const OPERATORS: ReadonlySet<string> = new Set('. map vmap set and or xor lshift rshift eq ne lt gt le ge'.split(' '))
