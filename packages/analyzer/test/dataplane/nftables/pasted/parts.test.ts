import { describe, expect, it } from 'vitest'
import { findTrailingComment } from '../../../../src/dataplane/nftables/pasted/parts.js'

describe('findTrailingComment', () => {
  const FIRST = `accept add arp bytes chain comment continue counter ct delete dnat drop dup elements ether exthdr fib flags flow fwd
    gc-interval goto hook icmp icmpv6 iif iifgroup iifname ip ip6 jhash jump limit log map mark masquerade meta notrack numgen oif
    oifgroup oifname packets policy queue quota redirect reject return rt sctp set size snat socket symhash synproxy tcp th timeout
    tproxy type typeof udp udplite update vlan vmap xt`

  it.each([...FIRST.split(/\s+/), '10.0.0.1', '80', '"eth0"', '{', '}', '@s'])(
    'finds a remark when the line starts with %s',
    (word) => {
      expect(findTrailingComment(`${word} , # here`)).toBe(word.length + 3)
    },
  )

  it.each(['# all of it', 'words of mine # more', 'accept # handle 7', 'accept', 'log prefix "a # b"', 'accept#1'])(
    'finds no remark in %j',
    (line) => {
      expect(findTrailingComment(line)).toBeUndefined()
    },
  )
})
