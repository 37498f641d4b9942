import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIpvs } from '../../../../analyzer/src/dataplane/ipvs/parse.js'
import { checkIpvs } from '../../../../analyzer/test/support/check-ipvs.js'
import { type IpvsState, type RealServer, SCHEDULERS, type VirtualServer } from '../../../src/dataplane/ipvs/ast.js'
import {
  canonicalize,
  createRealServerSortKey,
  createVirtualServerSortKey,
  sortForPrinting,
} from '../../../src/dataplane/ipvs/canonical.js'
import { printListing, printRestore, printSave } from '../../../src/dataplane/ipvs/print.js'
import { assembleIpvs, isIpvsId, resourcesOf } from '../../../src/dataplane/ipvs/resources.js'
import { anyText } from '../../support/any-text.js'
import { runs } from '../../support/runs.js'
import { realServer, virtualServer } from './states.js'

const group = fc.integer({ min: 1, max: 0xffff }).map((value) => value.toString(16))
const families = [
  { address: fc.ipV4(), netmask: fc.constantFrom(undefined, '255.255.255.255', '255.255.255.0') },
  {
    address: fc.tuple(group, group).map(([a, b]) => `fd00:${a}::${b}`),
    netmask: fc.constantFrom(undefined, '128', '64'),
  },
]
const options = {
  masquerade: fc.constantFrom(undefined, ['-x', '100', '-y', '50']),
  route: fc.constant(undefined),
  tunnel: fc.constantFrom(undefined, ['--tun-type', 'gue', '--tun-port', '6080'], ['--tun-type', 'gre', '--tun-csum']),
}

const state: fc.Arbitrary<IpvsState> = fc.record({
  virtualServers: fc.uniqueArray(fc.constantFrom(...families).chain(server), {
    maxLength: 6,
    selector: ({ address, port, protocol }) => `${address} ${port} ${protocol}`,
  }),
  unknownLines: fc.constantFrom(undefined, ['-A -f 1 -s rr', '-a -f 1 -r 10.0.0.2:0 -g -w 1']),
})

function server({ address, netmask }: (typeof families)[number]): fc.Arbitrary<VirtualServer> {
  const common = {
    address,
    port: fc.integer({ min: 1, max: 65535 }),
    scheduler: fc.constantFrom(...SCHEDULERS),
    timeout: fc.integer({ min: 1, max: 2678400 }),
    netmask,
    persistenceEngine: fc.constantFrom(undefined, 'sip'),
    realServers: fc.uniqueArray(fc.constantFrom('masquerade', 'route', 'tunnel').chain(real), {
      maxLength: 4,
      // Unique by address only, because real servers with routing or tunnelling have no port of their own.
      selector: (it) => it.address,
    }),
  }
  function real(forwarding: RealServer['forwarding']): fc.Arbitrary<RealServer> {
    const [port, weight] = [fc.nat(65535), fc.nat(2147483647)]
    return fc.record({ address, port, forwarding: fc.constant(forwarding), weight, options: options[forwarding] })
  }
  const bits = [0, 1, 2, 3, 0x10, 0x11, 0x18, 0x19, 0x38, 0x39]
  return fc.oneof(
    fc.record({ ...common, protocol: fc.constantFrom('TCP', 'SCTP'), flags: fc.constantFrom(...bits) }),
    fc.record({ ...common, protocol: fc.constant('UDP'), flags: fc.constantFrom(...bits, 4, 5, 0x15) }),
  )
}

function read(text: string): IpvsState {
  const result = parseIpvs(text)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

describe('sortForPrinting', () => {
  it('sorts servers by their sort keys, for any addresses', () => {
    fc.assert(
      fc.property(state, (it) => {
        const { virtualServers } = sortForPrinting(it)
        for (const keys of [
          virtualServers.map(createVirtualServerSortKey),
          ...virtualServers.map(({ realServers }) => realServers.map(createRealServerSortKey)),
        ]) {
          expect(keys).toEqual([...keys].sort())
        }
      }),
    )
  })
})

describe('an arbitrary IPVS state', () => {
  it.each([
    ['restore', printRestore],
    ['save', printSave],
  ])('equals the state that is parsed from its text in the %s format', (_, print) => {
    fc.assert(
      fc.property(state, (it) => {
        expect(canonicalize(read(print(it)))).toStrictEqual(canonicalize(it))
      }),
    )
  })

  it('is printed as the same text after a round trip through the parser', () => {
    fc.assert(
      fc.property(state, (it) => {
        expect(printRestore(read(printRestore(it)))).toBe(printRestore(it))
        expect(printSave(read(printSave(it)))).toBe(printSave(it))
      }),
    )
  })

  it('has an idempotent canonical form, which does not change the printed text', () => {
    fc.assert(
      fc.property(state, (it) => {
        expect(canonicalize(canonicalize(it))).toStrictEqual(canonicalize(it))
        expect(printSave(canonicalize(it))).toBe(printSave(it))
        expect(printListing(canonicalize(it))).toBe(printListing(it))
      }),
    )
  })

  it('can be assembled from its resources, apart from unknown lines', () => {
    fc.assert(
      fc.property(state, ({ virtualServers }) => {
        const resources = resourcesOf({ virtualServers })
        const assembled = assembleIpvs(resources)
        expect(canonicalize(assembled)).toStrictEqual(canonicalize({ virtualServers }))
        expect(resourcesOf(assembled)).toEqual(resources)
        for (const id of resources.keys()) expect(isIpvsId(id)).toBe(true)
        // The order does not matter: real servers may precede their virtual server.
        expect(canonicalize(assembleIpvs(new Map([...resources].reverse())))).toStrictEqual(
          canonicalize({ virtualServers }),
        )
      }),
    )
  })

  it('prints the same text regardless of the order of its servers', () => {
    fc.assert(
      fc.property(state, ({ virtualServers, ...rest }) => {
        const turned = virtualServers.map((it) => ({ ...it, realServers: [...it.realServers].reverse() })).reverse()
        for (const print of [printRestore, printSave, printListing]) {
          expect(print({ ...rest, virtualServers: turned })).toBe(print({ ...rest, virtualServers }))
        }
      }),
    )
  })

  it('is accepted and not changed by the functions that read it', () => {
    fc.assert(
      fc.property(state, (it) => {
        const before = JSON.stringify(it)
        printSave(it)
        expect(checkIpvs(it)).toEqual([])
        expect(JSON.stringify(it)).toBe(before)
      }),
    )
  })

  it('is parsed to the same state if its options are in another order', () => {
    const shuffled = fc.shuffledSubarray(
      ['-t 10.0.0.1:80', '-s mh', '-p 60', '-M 255.255.255.0', '--pe sip', '-b mh-port'],
      {
        minLength: 6,
      },
    )
    const expected = { flags: 0x11, scheduler: 'mh', timeout: 60, netmask: '255.255.255.0', persistenceEngine: 'sip' }
    fc.assert(
      fc.property(shuffled, (words) => {
        expect(read(['-A', ...words].join(' '))).toStrictEqual({ virtualServers: [virtualServer(expected)] })
      }),
    )
  })
})

describe('arbitrary text in the parser of IPVS', () => {
  const words = fc.constantFrom(
    '-A',
    '-a',
    '-t',
    '10.0.0.1:80',
    '-r',
    '-f',
    '1',
    '-s',
    'rr',
    '-p',
    '-m',
    '\n',
    '-',
    '--',
    '=',
  )
  const text = fc.oneof(
    anyText(),
    fc.array(words, { maxLength: 40 }).map((list) => list.join(' ')),
  )

  it('is rejected without an exception, or accepted and printable', () => {
    fc.assert(
      fc.property(text, (it) => {
        const result = parseIpvs(it)
        if (result.ok) expect(canonicalize(read(printRestore(result.value)))).toStrictEqual(canonicalize(result.value))
        else expect(result.problems.length).toBeGreaterThan(0)
      }),
      { numRuns: runs(150) },
    )
  })

  it('is rejected in linear time if it has many letters, colons or spaces', () => {
    expect(parseIpvs(`-${'A'.repeat(100_000)}`).ok).toBe(false)
    expect(parseIpvs(`-A -t [${':'.repeat(100_000)}`).ok).toBe(false)
    expect(parseIpvs(`${' '.repeat(100_000)}x`).ok).toBe(false)
  })
})

describe('hostile input in a virtual server', () => {
  const nasty = fc.oneof(
    anyText({ minLength: 1, maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom('a', '"', '\n', '\r', '\0', '\u2028', ' ', '\t', '-', ':', '1', '.'),
      maxLength: 12,
    }),
    fc.constantFrom('rr\n-C', 'rr -o', '-C', '10.0.0.1:80 -o', '\u0085'),
  )
  const places: readonly ((text: string) => VirtualServer)[] = [
    (address) => virtualServer({ address }),
    (scheduler) => virtualServer({ scheduler }),
    (netmask) => virtualServer({ netmask, flags: 1 }),
    (persistenceEngine) => virtualServer({ persistenceEngine, flags: 1 }),
    (text) => virtualServer({ realServers: [realServer(text, 80)] }),
    (text) => virtualServer({ realServers: [realServer('10.1.1.1', 80, { options: ['-x', text] })] }),
  ]

  it('is rejected, or printed with as many lines and words as harmless input', () => {
    fc.assert(
      fc.property(nasty, fc.constantFrom(...places), (text, place) => {
        const hostile = print(place(text))
        if (hostile === undefined) return
        expect(shape(hostile)).toEqual(shape(print(place('10.0.0.9')) ?? ''))
      }),
      { numRuns: runs(250) },
    )
  })

  function print(server: VirtualServer): string | undefined {
    try {
      return printRestore({ virtualServers: [server] })
    } catch (error) {
      expect(String(error)).toContain('This is a bug in kube-rules')
      return undefined
    }
  }

  /** Counts the words of each line. */
  function shape(text: string): readonly number[] {
    return text.split(/[\n\r\v\f\0\u0085\u2028\u2029]/).map((line) => (line.match(/\S+/g) ?? []).length)
  }
})
