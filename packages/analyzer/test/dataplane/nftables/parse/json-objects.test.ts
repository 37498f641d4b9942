import { describe, expect, it } from 'vitest'
import {
  parseJsonChain,
  parseJsonCounterValues,
  parseJsonElements,
  parseJsonObject,
  parseJsonSet,
  parseJsonVerdict,
} from '../../../../src/dataplane/nftables/parse/json-objects.js'
import type { Json, JsonRecord } from '../../../../src/dataplane/nftables/parse/json-values.js'

/** Expects exactly this value, with the same key order. */
function expectExactly(read: unknown, expected: unknown): void {
  expect(read).toStrictEqual(expected)
  expect(JSON.stringify(read)).toBe(JSON.stringify(expected))
}

const BASE = { name: 'c', type: 'filter', hook: 'input', prio: -5 }

describe('parseJsonChain', () => {
  it.each<readonly [string, JsonRecord, unknown]>([
    ['with only a name', { name: 'c' }, { name: 'c' }],
    [
      'with every property',
      {
        handle: 3,
        comment: 'why',
        policy: 'drop',
        dev: ['lo', 'eth0'],
        prio: -5,
        hook: 'ingress',
        type: 'filter',
        name: 'c',
      },
      {
        name: 'c',
        base: { type: 'filter', hook: 'ingress', devices: ['lo', 'eth0'], priority: -5, policy: 'drop' },
        comment: 'why',
        handle: 3,
      },
    ],
    ['with a hook', BASE, { name: 'c', base: { type: 'filter', hook: 'input', priority: -5 } }],
    [
      'with policy accept',
      { ...BASE, policy: 'accept' },
      { name: 'c', base: { type: 'filter', hook: 'input', priority: -5, policy: 'accept' } },
    ],
    ['without a device', { ...BASE, dev: [] }, { name: 'c', base: { type: 'filter', hook: 'input', priority: -5 } }],
    ['with a hook and no type', { name: 'c', hook: 'input', prio: 0 }, { name: 'c' }],
    ['with properties of other types', { name: 'c', comment: 5, handle: '3' }, { name: 'c' }],
    ['without a name', { handle: 3 }, undefined],
    ['with a name that is not text', { name: 5 }, undefined],
    ['without a hook', { name: 'c', type: 'filter', prio: 0 }, undefined],
    ['without a priority', { name: 'c', type: 'filter', hook: 'input' }, undefined],
    ['with a priority by name', { ...BASE, prio: 'filter' }, undefined],
    ['with another policy', { ...BASE, policy: 'reject' }, undefined],
  ])('accepts only a valid chain: %s', (_, json, chain) => {
    expectExactly(parseJsonChain(json), chain)
  })
})

describe('parseJsonSet', () => {
  const SET = { name: 's', type: 'mark' }
  const set = { kind: 'set', name: 's', key: { kind: 'type', types: ['mark'] } }

  it.each<readonly [string, 'set' | 'map', JsonRecord, unknown]>([
    ['with only a type', 'set', SET, { ...set, elements: [] }],
    [
      'with every property',
      'map',
      {
        elem: [[5, '10.0.0.1']],
        handle: 9,
        comment: 'why',
        stmt: [{ limit: {} }, { counter: { packets: 0, bytes: 0 } }],
        'auto-merge': true,
        policy: 'memory',
        size: 7,
        'gc-interval': 30,
        timeout: 60,
        flags: ['interval', 'timeout'],
        map: 'ipv4_addr . inet_service',
        type: ['mark', 'inet_proto'],
        name: 'm',
      },
      {
        kind: 'map',
        name: 'm',
        key: { kind: 'type', types: ['mark', 'inet_proto'] },
        data: ['ipv4_addr', 'inet_service'],
        flags: ['interval', 'timeout'],
        timeout: 60_000,
        gcInterval: 30_000,
        size: 7,
        policy: 'memory',
        autoMerge: true,
        counts: true,
        comment: 'why',
        handle: 9,
        elements: [{ key: '0x00000005', data: '10.0.0.1' }],
      },
    ],
    ['that is not a map, but has data', 'set', { ...SET, map: 'verdict' }, { ...set, elements: [] }],
    ['without automatic merging', 'set', { ...SET, 'auto-merge': false }, { ...set, elements: [] }],
    ['without counters', 'set', { ...SET, stmt: [{ limit: {} }] }, { ...set, elements: [] }],
    ['with unknown statements', 'set', { ...SET, stmt: [5, null, ['counter']] }, { ...set, elements: [] }],
    ['with statements that are not a list', 'set', { ...SET, stmt: { counter: null } }, { ...set, elements: [] }],
    ['with one flag', 'set', { ...SET, flags: 'constant' }, { ...set, flags: ['constant'], elements: [] }],
    ['without elements', 'set', { ...SET, elem: [] }, { ...set, elements: [] }],
    ['without a name', 'set', { type: 'mark' }, undefined],
    ['without a type', 'set', { name: 's' }, undefined],
    ['with an empty list of types', 'set', { name: 's', type: [] }, undefined],
    ['that is a map without data', 'map', SET, undefined],
    ['with an invalid element', 'set', { ...SET, elem: [5, null] }, undefined],
    ['with elements that are not a list', 'set', { ...SET, elem: 5 }, undefined],
  ])('accepts only a valid set: %s', (_, kind, json, expected) => {
    expectExactly(parseJsonSet(kind, json), expected)
  })
})

describe('parseJsonElements', () => {
  const read = (...items: readonly Json[]) => parseJsonElements(items, ['inet_proto'], ['mark'])

  it.each<readonly [string, Json, unknown]>([
    ['a key', 6, { key: 'tcp' }],
    ['a key with data', [6, 5], { key: 'tcp', data: '0x00000005' }],
    ['a key with a verdict', [6, { drop: null }], { key: 'tcp', verdict: { kind: 'drop' } }],
    ['a key in an object', { elem: { val: 6 } }, { key: 'tcp' }],
    [
      'a key with every property',
      [{ elem: { counter: { packets: 1, bytes: 2 }, expires: 3, timeout: 4, comment: 'why', val: 6 } }, 5],
      {
        key: 'tcp',
        comment: 'why',
        timeout: 4000,
        expires: 3000,
        counter: { packets: 1, bytes: 2 },
        data: '0x00000005',
      },
    ],
    [
      'options of other types',
      { elem: { val: 6, comment: 1, timeout: '4', expires: '3', counter: { packets: 1 } } },
      { key: 'tcp' },
    ],
    ['a counter without numbers', { elem: { val: 6, counter: null } }, { key: 'tcp' }],
  ])('parses %s', (_, item, element) => {
    expectExactly(read(item), [element])
  })

  it.each<readonly [string, Json]>([
    ['an empty list as an element', []],
    ['a list with one value as an element', [6]],
    ['a list with three values as an element', [6, 5, 4]],
    ['a list without a key as an element', [null, 5]],
    ['invalid data', [6, {}]],
    ['an invalid object', { what: 6 }],
    ['an element without a key', { elem: { comment: 'why' } }],
    ['an element that is not an object', { elem: 6 }],
  ])('rejects elements with %s', (_, item) => {
    expect(read(6, item)).toBeUndefined()
  })

  it('keeps the order of elements, and rejects the list if one element is invalid', () => {
    expect(read(17, 6, 17)).toEqual([{ key: 'udp' }, { key: 'tcp' }, { key: 'udp' }])
    expect(parseJsonElements({ 0: 6 }, [], [])).toBeUndefined()
  })
})

describe('parseJsonCounterValues', () => {
  it.each<readonly [JsonRecord, unknown]>([
    [
      { bytes: 2, packets: 1 },
      { packets: 1, bytes: 2 },
    ],
    [
      { packets: 0, bytes: 0 },
      { packets: 0, bytes: 0 },
    ],
    [{ packets: 1 }, undefined],
    [{ bytes: 2 }, undefined],
    [{ packets: '1', bytes: 2 }, undefined],
  ])('parses the packet and byte counts %j only if they are valid', (json, counts) => {
    expectExactly(parseJsonCounterValues(json), counts)
  })
})

describe('parseJsonVerdict', () => {
  it.each<readonly [Json, unknown]>([
    [{ accept: null }, { kind: 'accept' }],
    [{ drop: null }, { kind: 'drop' }],
    [{ return: null }, { kind: 'return' }],
    [{ continue: null }, { kind: 'continue' }],
    [{ jump: { target: 'a' } }, { kind: 'jump', chain: 'a' }],
    [{ goto: { target: 'a' } }, { kind: 'goto', chain: 'a' }],
    [{ jump: { target: 5 } }, undefined],
    [{ goto: 'a' }, undefined],
    [{ queue: null }, undefined],
    [{}, undefined],
    ['drop', undefined],
    [null, undefined],
    [['drop'], undefined],
  ])('parses %j only if it is a valid verdict', (json, verdict) => {
    expectExactly(parseJsonVerdict(json), verdict)
  })
})

describe('parseJsonObject', () => {
  it.each<readonly [string, JsonRecord, unknown]>([
    [
      'counter',
      { handle: 9, comment: 'why', bytes: 2, packets: 1, name: 'k' },
      { kind: 'counter', name: 'k', packets: 1, bytes: 2, comment: 'why', handle: 9 },
    ],
    ['counter', { name: 'k', packets: 1, bytes: 2 }, { kind: 'counter', name: 'k', packets: 1, bytes: 2 }],
    ['counter', { name: 'k', packets: 1 }, { kind: 'unknown', type: 'counter', name: 'k', lines: [] }],
    [
      'quota',
      { name: 'q', handle: 7, packets: 1, bytes: 2, comment: 'why' },
      { kind: 'unknown', type: 'quota', name: 'q', lines: [], handle: 7 },
    ],
    ['ct helper', { name: 'h' }, { kind: 'unknown', type: 'ct helper', name: 'h', lines: [] }],
    ['counter', { packets: 1, bytes: 2 }, undefined],
  ])('parses an object of another kind only if it is valid: %s %j', (kind, json, object) => {
    expectExactly(parseJsonObject(kind, json), object)
  })
})
