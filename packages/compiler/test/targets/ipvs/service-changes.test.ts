import { describe, expect, it } from 'vitest'
import { serviceChanges } from '../../../src/targets/ipvs/service-changes.js'
import type { ServiceEntries } from '../../../src/targets/ipvs/service-entries.js'
import { stateAfter } from '../../support/ipvs-state-pairs.js'
import { servicePort } from '../../support/model-builder.js'

const NAMES = ['a', 'b', 'c', 'd', 'e']
const services = new Map(
  NAMES.map((name, index) => {
    const port = servicePort({ name, clusterIP: `172.30.0.${index}` })
    return [name, stateAfter(undefined, [port]).services[0] as ServiceEntries]
  }),
)

function listOf(names: string): readonly ServiceEntries[] {
  return [...names].map((name) => services.get(name) as ServiceEntries)
}

function namesOf(list: readonly ServiceEntries[]): string {
  return NAMES.filter((name) => list.some((service) => service === services.get(name))).join('')
}

describe('serviceChanges', () => {
  it.each([
    ['abcde', 'abcde', '', ''],
    ['abde', 'abcde', '', 'c'],
    ['abcde', 'abde', 'c', ''],
    ['abd', 'acd', 'b', 'c'],
    ['', 'ab', '', 'ab'],
    ['ab', '', 'ab', ''],
    ['abc', 'bcd', 'a', 'd'],
  ])('from %s to %s: gone %s, come %s', (before, after, gone, come) => {
    const changes = serviceChanges(listOf(before), listOf(after))
    expect([namesOf(changes.gone), namesOf(changes.come)]).toEqual([gone, come])
  })

  it('takes all between the ends out and in again where some change places', () => {
    const changes = serviceChanges(listOf('abcde'), listOf('acbde'))
    expect([namesOf(changes.gone), namesOf(changes.come)]).toEqual(['bc', 'bc'])
  })
})
