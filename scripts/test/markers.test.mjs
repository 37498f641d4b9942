import { describe, expect, it } from 'vitest'
import { measureMarkers } from '../language/markers.mjs'

const measure = (text) => measureMarkers([{ path: 'a.md', line: 1, text }])
const namesIn = (text) => Object.entries(measure(text)).flatMap(([name, { value }]) => (value > 0 ? [name] : []))

describe('measureMarkers', () => {
  it.each([
    ['relatives', 'a chain of which the rules jump'],
    ['relatives', 'a chain whose rules jump'],
    ['clausesAsNouns', 'What rules match is a read set.'],
    ['clausesAsNouns', 'Rules match, where chains jump'],
    ['otherwise', 'a mode that does otherwise than the plan'],
    ['speech', 'the file says its version'],
    ['motion', 'a rule leads to a chain'],
    ['pronouns', 'a rule of nobody'],
    ['passives', 'packets are given a mark'],
    ['order', 'a rule behind another'],
  ])('finds the marker %s in the text "%s"', (name, text) => {
    expect(namesIn(text)).toEqual([name])
  })

  it.each([
    'Returns the rules that kube-proxy would program.',
    'If a match cannot be evaluated, the path forks.',
    'Rejects the packet; otherwise the next rule applies.',
    'Rules are removed before others',
  ])('finds no marker in the text "%s"', (text) => {
    expect(namesIn(text).filter((name) => name !== 'pronouns')).toEqual([])
  })

  it('returns the rate per 1,000 words, rounded up to a tenth', () => {
    const texts = [
      { path: 'a.md', line: 1, text: 'says '.repeat(2) },
      { path: 'b.md', line: 1, text: 'rule '.repeat(298) },
    ]
    // 2 of 300 are 6.67 of 1,000.
    expect(measureMarkers(texts).speech.value).toBe(6.7)
  })

  it('returns 0 when there is no text', () => {
    expect(measureMarkers([]).speech).toEqual({ value: 0, findings: [] })
  })

  it('returns the line of each match and the words around it', () => {
    expect(measure('the file says its version').speech.findings).toEqual([
      { path: 'a.md', line: 1, message: 'the file says its version' },
    ])
  })
})
