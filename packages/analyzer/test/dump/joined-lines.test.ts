import { describe, expect, it } from 'vitest'
import { joinBrokenLines } from '../../src/dump/pasted/broken-lines.js'

const joined = (lines: readonly string[]) =>
  joinBrokenLines(lines).map(({ source, isCut }) => (isCut ? `${source} (cut)` : source))

describe('a line of nft that is broken within braces', () => {
  it.each([
    ['numgen random mod 2 vmap { 0 : goto endpoint-A__10.244.1.5/8080, 1', ' : goto endpoint-B__10.244.2.7/8080 }'],
    ['numgen random mod 2 vmap { 0 : goto endpoint-A__10.244.1.5/8080,', ' 1 : goto endpoint-B__10.244.2.7/8080 }'],
    ['numgen random mod 2 vmap { 0 : goto endpoint-A__10.244', '.1.5/8080, 1 : goto endpoint-B }'],
    ['numgen random mod 2 vmap { 0 : goto endpoint-A__10.', '244.1.5/8080 }'],
    ['10.96.20.5 . tcp . 80 : goto service-KHN6ECMT-shop/w', 'eb/tcp/http,'],
    ['fd00:10:96::15 . tcp . 80 : goto service-KHN6ECMT-shop/web/', 'tcp/http }'],
  ])('is joined with the next line: %s', (before, rest) => {
    expect(joined([before, rest, '}'])).toEqual([before + rest, '}'])
  })

  it('is complete if its last element or its opening brace ends the line', () => {
    const elements = [
      'elements = { 10.96.0.1 . tcp . 443 : goto service-A,',
      '10.96.0.10 . udp . 53 : goto service-B }',
    ]
    expect(joined(elements)).toEqual(elements)
    const chain = ['chain service-KHN6ECMT-shop/web/tcp/http/and/more {', 'jump mark-for-masquerade', '}']
    expect(joined(chain)).toEqual(chain)
  })
})

describe('a rule that is broken within the arrow of its comment', () => {
  const before = '-A KUBE-SVC-67NZLRHBNDSAWJRO -m comment --comment "shop/web:http -'
  const rest = '> 10.244.1.5:8080" -j KUBE-SEP-34ZZ2QFGO32YYXXO'
  it('is joined with the next line', () => {
    expect(joined([before, rest, before, rest])).toEqual([before + rest, before + rest])
  })

  it('is cut if the next lines do not have its rest', () => {
    expect(joined([before, '-A X', before, rest, before, rest])).toEqual([
      `${before} (cut)`,
      '-A X',
      before + rest,
      before + rest,
    ])
  })
})
