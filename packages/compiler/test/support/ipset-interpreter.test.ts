import { describe, expect, it } from 'vitest'
import { restoreSets } from './ipset-interpreter.js'

const CREATE = {
  IPv4: 'create S hash:ip,port,net family inet hashsize 1024 maxelem 2',
  IPv6: 'create S hash:ip,port,net family inet6 hashsize 1024 maxelem 2',
}

function entriesAfter(family: keyof typeof CREATE, ...lines: readonly string[]): readonly string[] {
  const sets = restoreSets(new Map(), `${[CREATE[family], ...lines].join('\n')}\n`)
  return [...(sets.get('S')?.entries.keys() ?? [])]
}

describe('the entries of a set in the ipset interpreter', () => {
  // The entry as `ipset save` lists it.
  it.each([
    ['IPv4', '10.0.0.1,tcp:80,192.0.2.7/32', '10.0.0.1,tcp:80,192.0.2.7'],
    ['IPv4', '10.0.0.1,tcp:80,10.1.2.3/8', '10.0.0.1,tcp:80,10.0.0.0/8'],
    ['IPv4', '10.0.0.1,tcp:80,192.0.2.255/25', '10.0.0.1,tcp:80,192.0.2.128/25'],
    ['IPv4', '10.0.0.1,tcp:80,192.0.2.7', '10.0.0.1,tcp:80,192.0.2.7'],
    ['IPv6', 'fd00:0:0:0:0:0:0:1,tcp:80,2001:db8::1/128', 'fd00::1,tcp:80,2001:db8::1'],
    ['IPv6', 'fd00::1,tcp:80,2001:db8:0:ffff::/33', 'fd00::1,tcp:80,2001:db8::/33'],
    ['IPv6', 'fd00::1,tcp:80,0:0:1:0:0:0:1:0', 'fd00::1,tcp:80,0:0:1::1:0'],
    ['IPv6', '::1,tcp:80,1:0:0:2:0:0:3:4', '::1,tcp:80,1::2:0:0:3:4'],
    ['IPv6', '::,tcp:80,1:2:0:4:5:6:7:8', '::,tcp:80,1:2:0:4:5:6:7:8'],
  ] as const)('are normalized in %s: %s to %s', (family, entry, listed) => {
    expect(entriesAfter(family, `add S ${entry}`)).toEqual([listed])
    expect(entriesAfter(family, `add S ${entry}`, `del S ${listed}`)).toEqual([])
    expect(entriesAfter(family, `add S ${listed}`, `add S ${entry} comment`)).toEqual([listed])
  })

  it('count only once towards the limit if they are added twice in different notations', () => {
    const full = ['add S 10.0.0.1,tcp:80,192.0.2.7', 'add S 10.0.0.1,tcp:80,192.0.2.8']
    expect(entriesAfter('IPv4', ...full, 'add S 10.0.0.1,tcp:80,192.0.2.7/32')).toHaveLength(2)
    expect(() => entriesAfter('IPv4', ...full, 'add S 10.0.0.1,tcp:80,192.0.2.9')).toThrow('does not fit')
  })
})
