import { expect, it } from 'vitest'
import {
  createPortClassifier,
  isMatchedPort,
  listCandidatePorts,
  parseMatchedPorts,
} from '../../src/compare/matched-ports.js'

it.each<[readonly string[], readonly number[], string]>([
  [[], [1], '1 2 79 80 81 65535'],
  [['80'], [1, 80, 81], '1 79 81 65535 | 80'],
  [['80', '81'], [1, 80, 81, 82], '1 79 82 | 80 | 81'],
  [['80-82'], [1, 80, 83], '1 79 83 | 80 82'],
  [['80-82', '82-90'], [1, 80, 82, 83, 91], '1 91 | 80 81 | 82 | 83 90'],
  [['80', '80-82'], [1, 80, 81, 83], '1 83 | 80 | 81 82'],
  [['0', '65535'], [1, 65535], '1 65534 | 65535'],
])(
  'matched ports %j split the other ports into intervals, and each interval has one sample port',
  (texts, candidates, classes) => {
    const ports = parseMatchedPorts(texts)
    expect(listCandidatePorts(ports)).toEqual(candidates)
    const classOf = createPortClassifier(ports)
    const names = classes.split(' | ').map((each) => each.split(' ').map((port) => classOf(Number(port))))
    expect(names.map((some) => new Set(some).size)).toEqual(names.map(() => 1))
    expect(new Set(names.map(([first]) => first)).size).toBe(names.length)
  },
)

it.each<[number, boolean]>([
  [79, false],
  [80, true],
  [81, false],
  [90, true],
  [92, true],
  [93, false],
])('port %i matches `80` or `90-92`: %s', (port, isNamed) => {
  expect(isMatchedPort(parseMatchedPorts(['80', '90-92']), port)).toBe(isNamed)
})
