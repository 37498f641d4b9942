import type { Run } from '@kube-rules/compiler'
import { describe, expect, it } from 'vitest'
import { printRuns } from '../../../src/commands/diff/print-runs.js'

const restore: Run = {
  tool: 'ip6tables-restore',
  args: ['--noflush'],
  input: '*nat\n-D KUBE-SERVICES 1\nCOMMIT\n',
  purpose: 'change rules',
}
const forget: Run = {
  tool: 'conntrack',
  args: ['-D', '--orig-dst', '10.96.0.10', '-p', 'udp'],
  input: '',
  purpose: 'forget connections that are stale',
  mayFail: true,
}
const jump: Run = {
  tool: 'iptables',
  args: ['-I', 'INPUT', '-m', 'comment', '--comment', 'a jump', '-j', 'KUBE-SERVICES'],
  input: '',
  purpose: 'jump from INPUT',
  unless: ['-C', 'INPUT', '-m', 'comment', '--comment', 'a jump', '-j', 'KUBE-SERVICES'],
}

describe('printRuns', () => {
  it('prints nothing for no runs', () => {
    expect(printRuns([])).toBe('')
  })

  it('prints input under a heading, and other runs as command lines, in their order', () => {
    expect(printRuns([restore, forget, jump])).toBe(
      [
        '# ip6tables-restore --noflush   (change rules)',
        '*nat',
        '-D KUBE-SERVICES 1',
        'COMMIT',
        'conntrack -D --orig-dst 10.96.0.10 -p udp   # forget connections that are stale; may fail',
        "# unless: iptables -C INPUT -m comment --comment 'a jump' -j KUBE-SERVICES",
        "iptables -I INPUT -m comment --comment 'a jump' -j KUBE-SERVICES   # jump from INPUT",
        '',
      ].join('\n'),
    )
  })

  it('says of input too when it is to be left out and that it may fail', () => {
    const text = printRuns([{ ...restore, unless: ['--test'], mayFail: true }])
    expect(text).toBe(
      `# unless: ip6tables-restore --test\n# ip6tables-restore --noflush   (change rules; may fail)\n${restore.input}`,
    )
  })
})
