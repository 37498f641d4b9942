import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDump } from '../../../analyzer/src/dump/parse-dump.js'
import { print } from '../../src/print/print.js'
import { inFreshNamespace, type Sandbox } from './sandbox/sandbox.js'
import { BACKENDS, iptablesTools, withoutComments } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

// Mixes the words of rules that other programs write. If a tool accepts such a rule, `parseDump` must read what the
// tool prints, and the tool must accept the text that `print` writes from it and print the same rule again.

interface Parts {
  readonly matches: readonly string[]
  readonly targets: readonly string[]
}

const IPTABLES: Parts = {
  matches: [
    '-m conntrack --ctstate RELATED,ESTABLISHED',
    '-m comment --comment "cali:Cr8g 0x1_"',
    '-m mark ! --mark 0x10000/0x10000',
    '-p tcp -m multiport --dports 22,80:443',
    '-i cali+',
    '! -o br-0a1b2c',
    '-m addrtype --dst-type LOCAL',
    '-p udp -m udp --sport 67:68 --dport 67:68',
    '-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN',
    '-s 10.0.0.0/8 ! -d 10.96.0.0/12',
    '-m limit --limit 5/min --limit-burst 7',
    '-m recent --set --name ssh --mask 255.255.255.255 --rsource',
    '-m recent --rcheck --seconds 60 --hitcount 4 --name ssh --mask 255.255.255.255 --rsource',
    '-m statistic --mode random --probability 0.50000000000',
    '-m statistic --mode nth --every 3 --packet 0',
    '-p icmp -m icmp --icmp-type 8',
    '-m physdev --physdev-is-bridged',
    '-m pkttype --pkt-type broadcast',
    '-m length --length 40:100',
  ],
  targets: [
    '-j ACCEPT',
    '-j DROP',
    '-j RETURN',
    '-j MARK --set-xmark 0x40000/0x40000',
    '-j LOG --log-prefix "IN: " --log-level 4',
    '-j REJECT --reject-with icmp-port-unreachable',
    '-g OTHER',
    '-j OTHER',
    '',
  ],
}

const NFT: Parts = {
  matches: [
    'ct state established,related',
    'iifname "docker0" oifname != "docker0"',
    'counter',
    'ip saddr 10.0.0.0/8',
    'tcp dport { 22, 80-443 }',
    'meta l4proto { tcp, udp } th dport 53',
    'ct status dnat',
    'fib saddr . iif oif missing',
    'fib daddr type local',
    'limit rate 5/minute burst 7 packets',
    'log prefix "in: " level warn',
    'icmp type echo-request',
    'tcp flags & (fin | syn | rst | ack) == syn',
    'meta mark & 0x00010000 != 0x00000000',
    'ct mark 0x1',
    'meta mark set meta mark | 0x00004000',
    'meta skuid 1000',
    'ether saddr 02:00:00:00:00:01',
    'ip daddr . tcp dport { 10.96.0.1 . 443 }',
    'ip protocol tcp',
  ],
  targets: ['accept', 'drop', 'return', 'jump other', 'goto other', 'reject with icmp type admin-prohibited', ''],
}

/** Rules of one to three matches and a target. In one of four rules, a word is replaced by a word of another match. */
function mutatedRules({ matches, targets }: Parts): readonly string[] {
  const drawn = fc.record({
    parts: fc.uniqueArray(fc.constantFrom(...matches), { minLength: 1, maxLength: 3 }),
    target: fc.constantFrom(...targets),
    word: fc.constantFrom(...matches.flatMap((match) => match.split(' '))),
    at: fc.nat(40),
  })
  const rule = drawn.map(({ parts, target, word, at }) => {
    const words = [...parts, target].join(' ').trim().split(' ')
    if (at % 4 === 0) words[at % words.length] = word
    return words.join(' ')
  })
  // iptables-restore adds a line break to a comment whose quote is open, and cannot read what iptables-save prints of it.
  return fc.sample(rule, { numRuns: 250, seed: 1 }).filter((each) => each.split('"').length % 2 === 1)
}

interface Tool {
  readonly load: string
  readonly list: string
  readonly textOf: (rule: string) => string
}

/** Checks all rules that the tool accepts. Returns the number of these rules. */
async function checkAccepted(sandbox: Sandbox, tool: Tool, parts: Parts): Promise<number> {
  const listOf = async (text: string) => inFreshNamespace(sandbox, `${tool.load} && ${tool.list}`, text)
  let accepted = 0
  for (const rule of mutatedRules(parts)) {
    const first = await listOf(tool.textOf(rule))
    // nft prints some numbers as the names of interfaces, with control characters.
    if (first.status !== 0 || /[^\P{Cc}\t\n]/u.test(first.stdout)) continue
    const parsed = parseDump(first.stdout)
    if (!parsed.ok) throw new Error(`not read: ${rule}: ${parsed.problems[0]?.message}`)
    const second = await listOf(print(parsed.value.IPv4, { format: 'restore' }))
    // nft prints some contradictory rules in a form that it does not accept itself.
    if (second.status !== 0 && (await listOf(first.stdout)).status !== 0) continue
    expect({ rule, text: withoutComments(second.stdout) }).toEqual({ rule, text: withoutComments(first.stdout) })
    accepted += 1
  }
  return accepted
}

describe.each(BACKENDS)('iptables-%s', (backend) => {
  const sandboxFor = useSandbox([`iptables-${backend}`])

  it('accepts foreign rules that parseDump accepts, and lists them exactly as kube-rules prints them', async (context) => {
    const { restore, save } = iptablesTools('IPv4', backend)
    const textOf = (rule: string) => `*filter\n:FOREIGN - [0:0]\n:OTHER - [0:0]\n-A FOREIGN ${rule}\nCOMMIT\n`
    const tool = { load: `${restore} --noflush`, list: save, textOf }
    expect(await checkAccepted(await sandboxFor(context), tool, IPTABLES)).toBeGreaterThan(100)
  })
})

describe('nft in the kernel', () => {
  const sandboxFor = useSandbox(['nft'])

  it('accepts foreign rules that parseDump accepts, and lists them exactly as kube-rules prints them', async (context) => {
    const textOf = (rule: string) => `table ip foreign {\n\tchain other {\n\t}\n\tchain c {\n\t\t${rule}\n\t}\n}\n`
    const tool = { load: 'nft -f -', list: 'nft -s list ruleset', textOf }
    expect(await checkAccepted(await sandboxFor(context), tool, NFT)).toBeGreaterThan(100)
  })
})
