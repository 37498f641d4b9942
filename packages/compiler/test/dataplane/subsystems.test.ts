import { describe, expect, it } from 'vitest'
import { DUMP_READERS } from '../../../analyzer/src/dump/dump-readers.js'
import { presentSubsystemsOf, SUBSYSTEMS } from '../../src/dataplane/node-state.js'
import { SUBSYSTEM_DIFFERS, type SubsystemDiffer } from '../../src/diff/subsystem-differs.js'
import { SUBSYSTEM_PRINTERS, type SubsystemPrinter } from '../../src/print/subsystem-printers.js'
import { lowered } from '../support/ipvs-states.js'
import { endpoint, servicePort } from '../support/model-builder.js'
import { nftablesOf } from '../support/nftables-states.js'
import { normalForm, refusalsIn } from '../support/subsystems.js'

const ports = [servicePort({ endpoints: [endpoint()], nodePort: 3001 })]
const state = { ...lowered(ports), nftables: nftablesOf(ports).nftables }

it('SUBSYSTEMS lists sets before rules, and servers before the addresses they serve', () => {
  expect(SUBSYSTEMS).toEqual(['nftables', 'ipset', 'ipvs', 'addresses', 'iptables'])
  expect(presentSubsystemsOf(state)).toEqual(['nftables', 'ipset', 'ipvs', 'addresses', 'iptables'])
  expect(presentSubsystemsOf({ family: 'IPv4', iptables: state.iptables, ipvs: undefined })).toEqual(['iptables'])
})

it.each([
  ['nftables', ['restore', 'save']],
  ['ipset', ['restore', 'save']],
  ['ipvs', ['restore', 'save', 'listing']],
  ['addresses', ['restore']],
  ['iptables', ['restore', 'save', 'listing']],
] as const)('the subsystem %s can be printed in the formats %j', (name, formats) => {
  expect(SUBSYSTEM_PRINTERS[name].formats).toEqual(formats)
})

describe.each(SUBSYSTEMS)('the subsystem %s', (name) => {
  const printer: SubsystemPrinter<unknown> = SUBSYSTEM_PRINTERS[name]
  const differ: SubsystemDiffer<unknown> = SUBSYSTEM_DIFFERS[name]
  const { begins } = DUMP_READERS[name]
  const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
  const texts = (['restore', 'save'] as const)
    .filter((format) => printer.formats.includes(format))
    .map((format) => printer.print(state[name], { format, backend: 'nft' }))

  it('is printed for its tool by default', () => {
    expect(printer.formats[0]).toBe('restore')
    for (const text of texts) expect(text.endsWith('\n')).toBe(true)
  })

  it('is printed in sections that its own dump reader recognizes first', () => {
    for (const text of texts) {
      let inPassage: ((line: string) => boolean) | undefined
      for (const line of linesOf(text)) {
        if (inPassage === undefined) {
          const knowing = SUBSYSTEMS.filter((each) => DUMP_READERS[each].begins(line) !== undefined)
          expect([line, knowing[0]]).toEqual([line, name])
          const end = begins(line)
          inPassage = typeof end === 'function' ? end : undefined
        } else if (inPassage(line)) inPassage = undefined
      }
      expect(inPassage).toBeUndefined()
    }
  })

  it('accepts a compiled state, and has an idempotent canonical form', () => {
    expect(refusalsIn(name, state)).toEqual([])
    const normal = normalForm(name, state[name])
    expect(normalForm(name, normal)).toEqual(normal)
    expect(differ.diff(state[name], state[name]).changes).toEqual([])
  })
})
