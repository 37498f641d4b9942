import { expect, it } from 'vitest'
import { inferFamilyFromOptions } from '../../../../src/dataplane/iptables/parse/infer-family-from-options.js'

it.each([
  ...['-s', '-d', '--source', '--destination', '--to-destination', '--to-source', '--mask'].flatMap((option) => [
    [`${option} 10.0.0.1`, 'IPv4'] as const,
    [`-p tcp ${option} fd00::1`, 'IPv6'] as const,
  ]),
  ['-s 10.0.0.0/8', 'IPv4'],
  ['-s fd00::/64', 'IPv6'],
  ['-j DNAT --to-destination 10.0.0.1:80', 'IPv4'],
  ['-j DNAT --to-destination [fd00::1]:80', 'IPv6'],
  ['-j DNAT --to-destination [fd00::1]', 'IPv6'],
  ['-j DNAT --to-destination :80', undefined],
  ['-s node-1 -d fd00::1', 'IPv6'],
  ['-s 10.0.0.1 -d fd00::1', 'IPv4'],
  ['-i 10.0.0.1', undefined],
  ['-m comment --comment -s', undefined],
  ['-s', undefined],
  ['', undefined],
] as const)('inferFamilyFromOptions for %s returns the family %s', (words, family) => {
  expect(inferFamilyFromOptions(words.split(' '))).toBe(family)
})
