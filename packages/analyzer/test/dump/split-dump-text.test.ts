import { describe, expect, it } from 'vitest'
import { parseDump } from '../../src/dump/parse-dump.js'
import { splitDumpText } from '../../src/dump/split-dump-text.js'

const SERVER = '-A -t 10.96.0.1:443 -s rr'
const REAL = '-a -t 10.96.0.1:443 -r 10.1.0.1:6443 -m -w 1'

describe('lines of one subsystem', () => {
  it('form a group while they are adjacent', () => {
    const { bySubsystem } = splitDumpText([`${SERVER}\n${REAL}\n\n${REAL}\nadd S 10.0.0.1\n${REAL}`, `${SERVER}\n`])
    expect(bySubsystem.ipvs).toEqual([
      { source: `${SERVER}\n${REAL}`, text: 0, line: 1, family: undefined },
      { source: REAL, text: 0, line: 4, family: undefined },
      { source: REAL, text: 0, line: 6, family: undefined },
      { source: SERVER, text: 1, line: 1, family: undefined },
    ])
    expect(bySubsystem.ipset).toEqual([{ source: 'add S 10.0.0.1', text: 0, line: 5, family: undefined }])
  })

  it('have problems that refer to their original positions', () => {
    const wrong = '-a -t 10.96.0.1:443 -r 10.1.0.1 -w x'
    const parsed = parseDump([`# a\n${SERVER}\n\n${REAL}\n${wrong}\n`, `${REAL}\n${wrong}`])
    expect(parsed).toMatchObject({
      ok: false,
      problems: [
        { code: 'invalidValue', text: 0, line: 5, column: 33, excerpt: expect.stringContaining(wrong) },
        { code: 'duplicateRealServer', text: 1, line: 1, excerpt: expect.stringContaining(REAL) },
        { code: 'invalidValue', text: 1, line: 2, column: 33, excerpt: expect.stringContaining(wrong) },
      ],
    })
  })
})
