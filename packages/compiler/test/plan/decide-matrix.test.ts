import { describe, expect, it } from 'vitest'
import { decide } from '../../src/plan/decide.js'
import { packet, planOf, summary } from '../support/decisions.js'
import {
  ALL,
  ALL_HAIRPIN,
  ALL_MASQ,
  CONFIGURATIONS,
  type ConfigurationName,
  DESTINATIONS,
  type DestinationName,
  ONE,
  ONE_MASQ,
  SERVICES,
  SOURCES,
  type SourceName,
} from '../support/packet-matrix.js'

type Row = [configuration: ConfigurationName, from: SourceName, to: DestinationName, expected: string]

describe('decide for a packet', () => {
  describe.each([
    ['base', 'pod', 'clusterIP', `${ALL} policy`],
    ['base', 'hairpin', 'clusterIP', `${ALL_HAIRPIN} policy`],
    ['base', 'node', 'clusterIP', `${ALL_MASQ} offCluster`],
    ['base', 'outside', 'clusterIP', `${ALL_MASQ} offCluster`],
    ['base', 'pod', 'clusterIPLocal', `${ONE} policy`],
    ['base', 'hairpin', 'clusterIPLocal', `${ONE_MASQ} policy`],
    ['base', 'node', 'clusterIPLocal', `${ONE_MASQ} offCluster`],
    ['base', 'outside', 'clusterIPLocal', `${ONE_MASQ} offCluster`],
    ['base', 'pod', 'external', `${ALL_MASQ} policy`],
    ['base', 'hairpin', 'external', `${ALL_MASQ} policy`],
    ['base', 'node', 'external', `${ALL_MASQ} policy`],
    ['base', 'outside', 'external', `${ALL_MASQ} policy`],
    ['base', 'localhost', 'localhost', `${ALL_MASQ} policy`],
    ['base', 'pod', 'externalLocal', `${ALL} podShortCircuit`],
    ['base', 'hairpin', 'externalLocal', `${ALL_HAIRPIN} podShortCircuit`],
    ['base', 'node', 'externalLocal', `${ALL_MASQ} nodeShortCircuit`],
    ['base', 'outside', 'externalLocal', `${ONE} policy`],
    ['base', 'localhost', 'localhostLocal', `${ALL_MASQ} nodeShortCircuit`],

    ['no detector', 'pod', 'clusterIP', `${ALL} policy`],
    ['no detector', 'hairpin', 'clusterIP', `${ALL_HAIRPIN} policy`],
    ['no detector', 'node', 'clusterIP', `${ALL} policy`],
    ['no detector', 'outside', 'clusterIP', `${ALL} policy`],
    ['no detector', 'pod', 'clusterIPLocal', `${ONE} policy`],
    ['no detector', 'hairpin', 'clusterIPLocal', `${ONE_MASQ} policy`],
    ['no detector', 'node', 'clusterIPLocal', `${ONE} policy`],
    ['no detector', 'outside', 'clusterIPLocal', `${ONE} policy`],
    ['no detector', 'pod', 'external', `${ALL_MASQ} policy`],
    ['no detector', 'hairpin', 'external', `${ALL_MASQ} policy`],
    ['no detector', 'node', 'external', `${ALL_MASQ} policy`],
    ['no detector', 'outside', 'external', `${ALL_MASQ} policy`],
    ['no detector', 'localhost', 'localhost', `${ALL_MASQ} policy`],
    ['no detector', 'pod', 'externalLocal', `${ONE} policy`],
    ['no detector', 'hairpin', 'externalLocal', `${ONE_MASQ} policy`],
    ['no detector', 'node', 'externalLocal', `${ALL_MASQ} nodeShortCircuit`],
    ['no detector', 'outside', 'externalLocal', `${ONE} policy`],
    ['no detector', 'localhost', 'localhostLocal', `${ALL_MASQ} nodeShortCircuit`],

    ['masqueradeAll', 'pod', 'clusterIP', `${ALL_MASQ} masqueradeAll`],
    ['masqueradeAll', 'hairpin', 'clusterIP', `${ALL_MASQ} masqueradeAll`],
    ['masqueradeAll', 'node', 'clusterIP', `${ALL_MASQ} masqueradeAll`],
    ['masqueradeAll', 'outside', 'clusterIP', `${ALL_MASQ} masqueradeAll`],
    ['masqueradeAll', 'pod', 'clusterIPLocal', `${ONE_MASQ} masqueradeAll`],
    ['masqueradeAll', 'hairpin', 'clusterIPLocal', `${ONE_MASQ} masqueradeAll`],
    ['masqueradeAll', 'node', 'clusterIPLocal', `${ONE_MASQ} masqueradeAll`],
    ['masqueradeAll', 'outside', 'clusterIPLocal', `${ONE_MASQ} masqueradeAll`],
    ['masqueradeAll', 'pod', 'external', `${ALL_MASQ} policy`],
    ['masqueradeAll', 'hairpin', 'external', `${ALL_MASQ} policy`],
    ['masqueradeAll', 'node', 'external', `${ALL_MASQ} policy`],
    ['masqueradeAll', 'outside', 'external', `${ALL_MASQ} policy`],
    ['masqueradeAll', 'localhost', 'localhost', `${ALL_MASQ} policy`],
    ['masqueradeAll', 'pod', 'externalLocal', `${ALL} podShortCircuit`],
    ['masqueradeAll', 'hairpin', 'externalLocal', `${ALL_HAIRPIN} podShortCircuit`],
    ['masqueradeAll', 'node', 'externalLocal', `${ALL_MASQ} nodeShortCircuit`],
    ['masqueradeAll', 'outside', 'externalLocal', `${ONE} policy`],
    ['masqueradeAll', 'localhost', 'localhostLocal', `${ALL_MASQ} nodeShortCircuit`],

    ['both', 'pod', 'clusterIP', `${ALL_MASQ} masqueradeAll`],
    ['both', 'hairpin', 'clusterIP', `${ALL_MASQ} masqueradeAll`],
    ['both', 'node', 'clusterIP', `${ALL_MASQ} masqueradeAll`],
    ['both', 'outside', 'clusterIP', `${ALL_MASQ} masqueradeAll`],
    ['both', 'pod', 'clusterIPLocal', `${ONE_MASQ} masqueradeAll`],
    ['both', 'hairpin', 'clusterIPLocal', `${ONE_MASQ} masqueradeAll`],
    ['both', 'node', 'clusterIPLocal', `${ONE_MASQ} masqueradeAll`],
    ['both', 'outside', 'clusterIPLocal', `${ONE_MASQ} masqueradeAll`],
    ['both', 'pod', 'external', `${ALL_MASQ} policy`],
    ['both', 'hairpin', 'external', `${ALL_MASQ} policy`],
    ['both', 'node', 'external', `${ALL_MASQ} policy`],
    ['both', 'outside', 'external', `${ALL_MASQ} policy`],
    ['both', 'localhost', 'localhost', `${ALL_MASQ} policy`],
    ['both', 'pod', 'externalLocal', `${ONE} policy`],
    ['both', 'hairpin', 'externalLocal', `${ONE_MASQ} policy`],
    ['both', 'node', 'externalLocal', `${ALL_MASQ} nodeShortCircuit`],
    ['both', 'outside', 'externalLocal', `${ONE} policy`],
    ['both', 'localhost', 'localhostLocal', `${ALL_MASQ} nodeShortCircuit`],
  ] satisfies readonly Row[])(
    'with configuration "%s" from %s to %s',
    (configuration, from, destinations, expected) => {
      const { source, origin } = SOURCES[from]
      const plan = planOf(SERVICES, CONFIGURATIONS[configuration])

      it.each(DESTINATIONS[destinations])(`from ${source} to %s returns ${expected}`, (to) => {
        expect(summary(decide(plan, packet(source, to, { origin })))).toBe(expected)
      })
    },
  )
})
