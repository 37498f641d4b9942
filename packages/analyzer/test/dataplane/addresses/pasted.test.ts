import { describe, expect, it } from 'vitest'
import { NO_HINTS, pastedLines } from '../../../../compiler/test/support/pasted-lines.js'
import { addressPasteReader } from '../../../src/dataplane/addresses/pasted.js'

function read(...lines: readonly string[]) {
  const { states, coverage, problems, notes } = addressPasteReader.read(pastedLines(...lines), NO_HINTS)
  expect([coverage.IPv6, notes]).toEqual([coverage.IPv4, []])
  expect([coverage.IPv4?.complete ?? [], coverage.IPv4?.truncated ?? []]).toEqual([[], []])
  return {
    addresses: states.IPv4?.addresses,
    six: states.IPv6?.addresses,
    isWhole: coverage.IPv4?.isComplete,
    messages: problems.map(({ line, code, message }) => `${line} ${code}: ${message}`),
  }
}

const DEVICE = '7: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN'
const OTHER = '2: eth0: <BROADCAST,UP> mtu 1500'
const FOUR = 'inet 10.96.0.1/32 scope global kube-ipvs0'
const SIX = 'inet6 fd00::1/128 scope global'
const IN_ONE = '7: kube-ipvs0    inet 10.96.0.9/32 scope global kube-ipvs0'

describe('the reader of bound addresses in an excerpt', () => {
  it.each([
    ['reads the addresses of the device', [DEVICE, FOUR, SIX], ['10.96.0.1'], ['fd00::1'], true],
    [
      'ignores the addresses of other devices before kube-ipvs0',
      [OTHER, 'inet 10.0.0.1/8 scope global eth0', DEVICE, FOUR],
      ['10.96.0.1'],
      [],
      true,
    ],
    [
      'ignores the addresses of other devices after kube-ipvs0',
      [DEVICE, FOUR, OTHER, 'inet6 fd00::9/64 scope global'],
      ['10.96.0.1'],
      [],
      true,
    ],
    ['reads a device without addresses', [DEVICE, 'link/ether 00:00:00:00:00:00'], [], [], true],
    ['ignores link-local addresses', [DEVICE, 'inet6 fe80::1/64 scope link', SIX], [], ['fd00::1'], true],
    [
      'sorts addresses and removes duplicates',
      [DEVICE, FOUR, 'inet 10.96.0.0/32 scope global kube-ipvs0', FOUR],
      ['10.96.0.0', '10.96.0.1'],
      [],
      true,
    ],
    [
      'reads the complete output of ip -o, with one address per line',
      ['$ ip -o addr', IN_ONE],
      ['10.96.0.9'],
      [],
      true,
    ],
    ['treats a line of ip -o without its command as incomplete', [IN_ONE], ['10.96.0.9'], [], false],
    ['treats filtered output of ip -o as incomplete', ['$ ip -o addr | grep', IN_ONE], ['10.96.0.9'], [], false],
    ['treats address lines without their device and command as incomplete', [FOUR], ['10.96.0.1'], [], false],
    [
      'treats address lines without their device as complete after the command ip addr',
      ['$ ip addr', FOUR],
      ['10.96.0.1'],
      [],
      true,
    ],
    [
      'treats commands that add addresses as incomplete',
      ['address add 10.96.0.1/32 dev kube-ipvs0'],
      ['10.96.0.1'],
      [],
      false,
    ],
    ['treats the device as incomplete if a gap follows it', [DEVICE, FOUR, '...'], ['10.96.0.1'], [], false],
    ['treats truncated output as incomplete', ['$ ip addr | head', DEVICE, FOUR], ['10.96.0.1'], [], false],
    ['treats filtered output as incomplete', ['$ ip addr | grep', DEVICE, FOUR], ['10.96.0.1'], [], false],
  ])('%s', (_, lines, addresses, six, isWhole) => {
    expect(read(...lines)).toEqual({ addresses, six, isWhole, messages: [] })
  })

  it('returns no addresses if the device is missing', () => {
    const nothing = { addresses: undefined, six: undefined, isWhole: undefined, messages: [] }
    expect(read(OTHER, 'inet 10.0.0.1/8 scope global eth0')).toEqual(nothing)
    expect(read()).toEqual(nothing)
  })

  it('returns an incomplete list of the other addresses if one address cannot be parsed', () => {
    expect(read(DEVICE, 'inet 10.96.0.999/32 scope global kube-ipvs0', FOUR)).toEqual({
      addresses: ['10.96.0.1'],
      six: [],
      isWhole: false,
      messages: ['2 invalidAddress: 10.96.0.999 is not an address'],
    })
  })
})

describe('the first line of an address excerpt', () => {
  it.each([
    DEVICE,
    OTHER,
    FOUR,
    IN_ONE,
    '3: eth0@if7: <UP>',
    '9: tunl-0.1    inet6 fd00::1/64',
    'address add 10.96.0.1/32 dev kube-ipvs0',
  ])('is recognized: %s', (line) => {
    const isContinued = addressPasteReader.begins(line, undefined)
    for (const next of [DEVICE, FOUR, SIX, 'link/ether 0', 'valid_lft forever', 'altname enp0', '', ' ']) {
      expect([next, isContinued?.(next)]).toEqual([next, isContinued])
    }
    expect(isContinued?.('anything else')).toBeUndefined()
    expect(isContinued?.('an inet 10.0.0.1/8')).toBeUndefined()
    expect(isContinued?.('inet')).toBeUndefined()
  })

  it.each(['inet 10.0.0.1/8 scope global eth0', 'x 7: kube-ipvs0: <UP>', '7: kube-ipvs0', 'bound to kube-ipvs0', ''])(
    'is not recognized: %j',
    (line) => {
      expect(addressPasteReader.begins(line, undefined)).toBeUndefined()
    },
  )
})
