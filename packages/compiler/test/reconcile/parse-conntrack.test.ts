import { describe, expect, it } from 'vitest'
import { parseConntrack } from '../../src/reconcile/parse-conntrack.js'

const DNS = {
  family: 'IPv4',
  originalDestination: '10.96.0.10',
  originalDestinationPort: 53,
  replySource: '10.244.2.1',
  replySourcePort: 5353,
}
const TUPLES = 'src=10.0.0.5 dst=10.96.0.10 sport=4000 dport=53'
const REPLY = 'src=10.244.2.1 dst=10.0.0.5 sport=5353 dport=4000'

describe('parseConntrack', () => {
  it.each([
    ['of conntrack -L', `udp      17 99 ${TUPLES} ${REPLY} [ASSURED] mark=0 use=1`],
    ['with an unanswered flow', `udp      17 29 ${TUPLES} [UNREPLIED] ${REPLY} mark=0 secctx=null use=1`],
    ['of conntrack -L -o extended', `ipv4     2 udp      17 99 ${TUPLES} ${REPLY} mark=0 use=2`],
    ['with counters', `udp      17 99 ${TUPLES} packets=1 bytes=60 ${REPLY} packets=1 bytes=90 mark=0 use=1`],
    ['of /proc/net/nf_conntrack', `ipv4     2 udp      17 99 ${TUPLES} ${REPLY} mark=0 zone=0 use=2`],
  ])('parses a line %s', (_, line) => {
    expect(parseConntrack(`${line}\n`)).toEqual([DNS])
  })

  it('returns IPv6 addresses in canonical notation', () => {
    const [full, reply] = ['fd00:0096:0000:0000:0000:0000:0000:000a', 'fd00:0244:0000:0000:0000:0000:0000:0001']
    const tuples = `src=fd00::5 dst=${full} sport=4000 dport=53 [UNREPLIED] src=${reply} dst=fd00::5 sport=53 dport=4000`
    expect(parseConntrack(`ipv6     10 udp      17 29 ${tuples} mark=0 zone=0 use=2`)).toEqual([
      {
        family: 'IPv6',
        originalDestination: 'fd00:96::a',
        originalDestinationPort: 53,
        replySource: 'fd00:244::1',
        replySourcePort: 53,
      },
    ])
  })

  it.each([
    ['of another protocol', `tcp      6 431999 ESTABLISHED ${TUPLES} ${REPLY} [ASSURED] mark=0 use=1`],
    ['with an invalid address', `udp      17 99 ${TUPLES.replace('10.96.0.10', '10.96.0')} ${REPLY} mark=0 use=1`],
    ['without a reply direction', `udp      17 99 ${TUPLES} mark=0 use=1`],
    ['with the number of entries', 'conntrack v1.4.7 (conntrack-tools): 3 flow entries have been shown.'],
  ])('ignores a line %s', (_, line) => {
    expect(parseConntrack(line)).toEqual([])
  })
})
