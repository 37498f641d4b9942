import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const blocks = [...README.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }))

it('README contains the example that this test runs', () => {
  const example = readFileSync(new URL('docs/readme.ts', import.meta.url), 'utf8')
  expect(blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)).toEqual([example])
})

it('README shows the output of the example', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await import('./docs/readme.js')
  const [fresh, run, ...others] = log.mock.calls
  log.mockRestore()
  expect(fresh?.slice(0, 2)).toEqual(['iptables-restore', ['-w', '5', '--noflush']])
  expect(fresh?.[2]).toContain('--to-destination 10.244.1.5:8080')
  expect(fresh?.[2]).toMatch(/^-I PREROUTING .*-j KUBE-SERVICES$/m)
  expect(run).toEqual([
    'iptables-restore',
    ['-w', '5', '--noflush'],
    blocks.find(({ language }) => language === '')?.text,
  ])
  expect(others).toEqual([])
})
