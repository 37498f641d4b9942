import { readFileSync } from 'node:fs'
import type { Result } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { SUBSYSTEMS, type Subsystem } from '../../../compiler/src/dataplane/node-state.js'
import { ADDRESS_PROBLEM_CODES, type AddressProblemCode } from '../../src/dataplane/addresses/parse.js'
import { IPSET_PROBLEM_CODES, type IpsetProblemCode, parseIpset } from '../../src/dataplane/ipset/parse.js'
import { parseIptables } from '../../src/dataplane/iptables/parse/parse.js'
import { IPTABLES_PROBLEM_CODES, type IptablesProblemCode } from '../../src/dataplane/iptables/parse/problem.js'
import { IPVS_PROBLEM_CODES, type IpvsProblemCode, parseIpvs } from '../../src/dataplane/ipvs/parse.js'
import type { TextProblem } from '../../src/dataplane/netfilter/text-problem.js'
import { parseNftables } from '../../src/dataplane/nftables/parse/parse.js'
import { parseNftablesJson } from '../../src/dataplane/nftables/parse/parse-json.js'
import { NFTABLES_PROBLEM_CODES, type NftablesProblemCode } from '../../src/dataplane/nftables/parse/problem.js'
import { parseDump } from '../../src/dump/parse-dump.js'

const CODES: Readonly<Record<Subsystem, readonly string[]>> = {
  nftables: NFTABLES_PROBLEM_CODES,
  ipset: IPSET_PROBLEM_CODES,
  ipvs: IPVS_PROBLEM_CODES,
  addresses: ADDRESS_PROBLEM_CODES,
  iptables: IPTABLES_PROBLEM_CODES,
}

// Texts with a single error, for every problem code of a dump.

const IPTABLES: Readonly<Record<Exclude<IptablesProblemCode, 'duplicateTable'>, string>> = {
  controlCharacter: '*nat\n-A INPUT -j ACCEPT\r\nCOMMIT\n',
  unknownTable: '*natt\nCOMMIT\n',
  unexpectedTable: '*nat\n*filter\nCOMMIT\n',
  outsideTable: '-A INPUT -j ACCEPT\n',
  missingCommit: '*nat\n',
  unknownCommand: '*nat\n-Z INPUT\nCOMMIT\n',
  badChainLine: '*nat\n:\nCOMMIT\n',
  duplicateChain: '*nat\n:A - [0:0]\n:A - [0:0]\nCOMMIT\n',
  missingChain: '*nat\n-A\nCOMMIT\n',
  unclosedQuote: '*nat\n-A INPUT -m comment --comment "open\nCOMMIT\n',
  unexpectedWord: '*nat\n-A INPUT word -j ACCEPT\nCOMMIT\n',
  missingValue: '*nat\n-A INPUT -j ACCEPT -i\nCOMMIT\n',
  duplicateTarget: '*nat\n-A INPUT -j ACCEPT -j DROP\nCOMMIT\n',
}

const IPSET: Readonly<Record<IpsetProblemCode, string>> = {
  badQuote: 'create A hash:ip\nadd A 1.2.3.4 comment "a"b\n',
  unknownCommand: 'create A hash:ip\nflush A\n',
  missingWord: 'create A\n',
  invalidValue: 'create A hash:ip family inet5\n',
  duplicateSet: 'create A hash:ip\ncreate A hash:ip\n',
  unknownSet: 'add A 1.2.3.4\n',
}

const SERVER = '-A -t 10.0.0.1:80 -s rr\n'

const IPVS: Readonly<Record<IpvsProblemCode, string>> = {
  invalidCharacter: '-A -t 10.0.0.1:80 -s rä\n',
  unknownOption: '-A -t 10.0.0.1:80 --nothing\n',
  missingValue: '-A -t 10.0.0.1:80 -s\n',
  unexpectedValue: '-A -t 10.0.0.1:80 --ops=yes\n',
  unknownCommand: '-t 10.0.0.1:80 -s rr\n',
  repeatedOption: '-A -t 10.0.0.1:80 -s rr -s rr\n',
  unexpectedOption: '-A -t 10.0.0.1:80 -w 1\n',
  missingOption: '-A -s rr\n',
  conflictingOptions: `${SERVER}-a -t 10.0.0.1:80 -r 10.1.0.1:80 -m -g\n`,
  invalidAddress: '-A -t web:80\n',
  invalidValue: '-A -t 10.0.0.1:80 -p never\n',
  duplicateVirtualServer: `${SERVER}${SERVER}`,
  unknownVirtualServer: '-a -t 10.0.0.1:80 -r 10.1.0.1:80\n',
  duplicateRealServer: `${SERVER}${'-a -t 10.0.0.1:80 -r 10.1.0.1:80\n'.repeat(2)}`,
}

const ADDRESSES: Readonly<Record<AddressProblemCode, string>> = {
  invalidAddress: '5: kube-ipvs0    inet 999.1.1.1/32 scope global kube-ipvs0\n',
}

const NFTABLES: Readonly<Record<NftablesProblemCode, string>> = {
  invalidCharacter: 'add table ip a\u0007\n',
  openQuote: 'add table ip a { comment "open ; }\n',
  unexpectedWord: 'add table ip a word\n',
  missingWord: 'add table ip\n',
  invalidValue: 'add table bridge a\nadd chain bridge a c { type filter hook input priority mangle ; }\n',
  unknownCommand: 'reset table ip a\n',
  unclosedBlock: 'table ip a {\n',
  duplicateName: 'table ip a {\n}\ntable ip a {\n}\n',
  rejectedCommand: 'add chain ip a c\n',
  invalidJson: '{"nftables": 7}\n',
}

const LANGUAGES: Readonly<Partial<Record<string, Language>>> = {
  iptables: { texts: IPTABLES, read: (text) => parseIptables(text, 'IPv4') },
  ipset: { texts: IPSET, read: parseIpset },
  ipvs: { texts: IPVS, read: parseIpvs },
  nftables: {
    texts: NFTABLES,
    read: (text) => (text.startsWith('{') ? parseNftablesJson(text) : parseNftables(text)),
  },
  addresses: { texts: ADDRESSES, read: (text) => parseDump(text) },
}

interface Language {
  readonly texts: Readonly<Record<string, string>>
  readonly read: (text: string) => Result<unknown, TextProblem>
}

/** Returns the documented codes by their heading. */
function documentedCodes(): ReadonlyMap<string, readonly string[]> {
  const sections = readFileSync(new URL('../../../../docs/reference/problems.md', import.meta.url), 'utf8')
    .split('\n## ')
    .slice(1)
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf('\n')),
      Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, code]) => code as string),
    ]),
  )
}

describe.each(SUBSYSTEMS)('problems of %s', (name) => {
  const codes = CODES[name]

  it('are explained in docs/reference/problems.md', () => {
    expect([...(documentedCodes().get(name) ?? [])].sort()).toEqual([...codes].sort())
  })

  it('each occur in at least one text', () => {
    const { texts, read } = LANGUAGES[name] as Language
    for (const [code, text] of Object.entries(texts)) {
      const parsed = read(text)
      expect(parsed.ok ? [] : parsed.problems.map((each) => each.code), text).toContain(code)
    }
    const produced = [...Object.keys(texts), ...(name === 'iptables' ? ['duplicateTable'] : [])]
    expect(produced.sort()).toEqual([...codes].sort())
  })
})

describe('problems of a dump', () => {
  const codesOf = (texts: string | readonly string[]) => {
    const parsed = parseDump(texts)
    return parsed.ok ? [] : parsed.problems.map(({ code }) => code)
  }

  it('are explained in docs/reference/problems.md', () => {
    expect(documentedCodes().get('Any text')).toEqual(['unknownLine', 'notText'])
  })

  it('include unrecognized lines, and duplicate tables', () => {
    expect(codesOf('hello world\n')).toEqual(['unknownLine'])
    expect(codesOf(['*nat\n:A - [0:0]\nCOMMIT\n', '*nat\n:A - [0:0]\nCOMMIT\n'])).toEqual(['duplicateTable'])
  })
})

describe('lenient parsing', () => {
  const lenient = (text: string) => parseDump(text, { lenient: true })
  const RULE = '-A KUBE-SVC-A -j KUBE-SEP-A\n'

  it('has an explanation for each problem in docs/reference/problems.md', () => {
    expect(documentedCodes().get('Lenient parsing')?.slice(0, 3)).toEqual(['cutLine', 'badRow', 'strayLine'])
  })

  it.each([
    ['cutLine', `${RULE}-A KUBE-SEP-A -m comment --comment "a\n`],
    [
      'badRow',
      '$ iptables -t nat -L\nChain KUBE-SVC-A (1 references)\ntarget prot opt source destination\nA all -- ...\n',
    ],
    ['strayLine', `${RULE}\n  -> 10.1.0.1:80   Masq    1      0          0\n`],
  ])('reports the problem %s', (code, text) => {
    expect(lenient(text).problems.map((each) => each.code)).toContain(code)
  })

  it.each([
    ['assumedTable', RULE],
    ['skippedLines', `Hello!\n${RULE}`],
    ['fragment', RULE],
    ['otherOutput', `${RULE}net.ipv4.ip_forward = 1\n`],
    ['brokenLines', `${RULE}-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp --dport\n${RULE}`],
    [
      'brokenLines',
      '-A KUBE-SVC-A -m comment --comment "a/b" -j KUBE\n-SEP-A\n-A KUBE-SVC-B -m comment --comment "c/d" -j KUBE\n-SEP-B\n',
    ],
    ['assumedServer', '# ipvsadm -Ln --stats\nTCP  10.0.0.1:80  1  2  3  4  5\n'],
    ['listedByNft', 'table ip nat {\n\tchain KUBE-SERVICES {\n\t}\n}\n'],
    ['diffRemovedLine', `@@ -1,2 +1,1 @@\n-${RULE} ${RULE}`],
    ['trailingComment', '$ nft list ruleset\ntable ip t {\n\tchain a {\n\t\tdrop # mine\n\t}\n}\n'],
    ['duplicateChain', '$ iptables -t nat -S A\n-N A\n-A A -j B\n$ iptables -t nat -S A\n-N A\n-A A -j C\n'],
  ])('reports the note %s', (code, text) => {
    const parsed = lenient(text)
    expect(parsed.ok && parsed.notes.map((note) => note.code)).toContain(code)
  })

  it('reports the note assumedFamily', () => {
    const parsed = parseDump(RULE, { lenient: true, family: 'IPv6' })
    expect(parsed.ok && parsed.notes.map((note) => note.code)).toContain('assumedFamily')
    expect(documentedCodes().get('Lenient parsing')?.slice(3)).toEqual([
      'assumedTable',
      'assumedFamily',
      'assumedServer',
      'duplicateChain',
      'skippedLines',
      'brokenLines',
      'otherOutput',
      'listedByNft',
      'diffRemovedLine',
      'trailingComment',
      'fragment',
    ])
  })

  it('fails if no line can be parsed', () => {
    expect(lenient('hello\n')).toMatchObject({ ok: false, problems: [{ code: 'unknownLine' }] })
  })
})
