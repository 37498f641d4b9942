import { IP_FAMILIES } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { print } from '../../../compiler/src/print/print.js'
import { CORPUS_DUMPS, readDump } from '../../../compiler/test/support/read-dump.js'
import { parseDump } from '../../src/dump/parse-dump.js'

// Every parsed text can be printed, and parsing and printing again produces the same text. This also applies to
// truncated or shuffled lines, which no tool prints. A dump that parses but cannot be printed is a bug in any later
// processing.

const TABLE = (line: string) => `*nat\n:T - [0:0]\n${line}\nCOMMIT\n`

/** One line of each template in the corpus, because lines of a template differ only in numbers and names. */
const RULES = templatesOf((line) => line.startsWith('-A ') && !/^-A (?:-|[tu] )/.test(line)).map((line) =>
  line.replace(/^-A \S+/, '-A T'),
)

const SERVERS = [
  '-A -t 10.96.0.1:443 -s rr',
  '-A -t 10.96.0.1:443 -s rr -p 60 -M 255.255.255.0 --pe sip',
  '-A -u 10.96.0.1:53 -s mh -o -b mh-fallback,mh-port',
  '-A --sctp-service [fd00::1]:53 --scheduler=wlc --persistent 60 --netmask 64',
  '-A -f 1 -s rr',
]

const REAL_SERVERS = [
  '-a -t 10.96.0.1:443 -r 10.1.0.1:6443 -m -w 1',
  '-a -t 10.96.0.1:443 -r 10.1.0.1:6443 -i -w 1 -x 5 -y 2 --tun-type gue --tun-port 6080 --tun-nocsum',
]

const SETS = [
  'create S hash:ip,port,net family inet hashsize 1024 maxelem 65536 timeout 60 counters comment',
  'create P bitmap:port range 0-65535',
]

const ENTRIES = ['add S 10.0.0.1,tcp:80,10.0.0.0/8 timeout 5 packets 1 bytes 2 comment "a b" nomatch']

function templatesOf(isWanted: (line: string) => boolean): readonly string[] {
  const byShape = new Map<string, string>()
  for (const line of [...CORPUS_DUMPS.values()].join('\n').split('\n')) {
    if (isWanted(line)) byShape.set(line.replace(/"[^"]*"/g, '"').replace(/[^-! "]*[\dA-Z][^- ]*/g, 'x'), line)
  }
  return [...byShape.values()]
}

/**
 * Returns broken variants of a line: each prefix, the line without each of its words, with each word twice, and with
 * its last words first.
 */
function brokenLines(line: string): readonly string[] {
  const words = line.split(' ')
  return words.flatMap((word, at) => {
    const [before, after] = [words.slice(0, at), words.slice(at + 1)]
    const lines = [
      [...before, word],
      [...before, ...after],
      [...before, word, word, ...after],
      [...words.slice(0, 2), ...words.slice(Math.max(at, 2)), ...words.slice(2, Math.max(at, 2))],
    ]
    return lines.map((each) => each.join(' '))
  })
}

function expectTheSameAgain(text: string): boolean {
  const parsed = parseDump(text)
  if (!parsed.ok) return false
  for (const family of IP_FAMILIES) {
    for (const format of ['restore', 'save'] as const) {
      const again = (printed: string) => print(readDump(printed, { family })[family], { format })
      const settled = again(print(parsed.value[family], { format }))
      expect(again(settled), text).toBe(settled)
    }
  }
  return true
}

describe.each([
  ['rules', RULES, TABLE],
  ['virtual servers', SERVERS, (line: string) => `${line}\n`],
  ['real servers', REAL_SERVERS, (line: string) => `${SERVERS[0]}\n${line}\n`],
  ['sets', SETS, (line: string) => `${line}\n`],
  ['entries', ENTRIES, (line: string) => `${SETS[0]}\n${line}\n`],
] as const)('malformed lines of %s', (_, lines, textOf) => {
  it('are either rejected, or parsed to a state that can be printed and parsed again', () => {
    let accepted = 0
    let rejected = 0
    for (const line of lines) {
      for (const broken of brokenLines(line)) {
        if (expectTheSameAgain(textOf(broken))) accepted++
        else rejected++
      }
    }
    expect(accepted).toBeGreaterThan(0)
    expect(rejected).toBeGreaterThan(0)
  })
})

it.each([
  '-A -t 10.96.0.1:443 -s -t',
  '-A -t 10.96.0.1:443 -s-t',
  '-A -t 10.96.0.1:443 --scheduler=',
  '-A -t 10.96.0.1:443 -s rr -p 60 -M -o',
  '-A -t 10.96.0.1:443 -s rr -p 60 --pe=--ops',
  '-A -t 10.96.0.1:443 -s rr -p 60 -M -x',
])('ipvs line %s is invalid because it has an option in place of a value', (line) => {
  const parsed = parseDump(`${line}\n`)
  expect(parsed.ok ? [] : parsed.problems.map(({ code }) => code)).toEqual(['invalidValue'])
})
