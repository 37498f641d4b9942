import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConnection } from '../src/connection.js'

it('readConnection reads the token file of a kubeadm kubeconfig again for each connection', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-test-'))
  const kubeconfig = join(folder, 'kubeconfig.conf')
  const text = `
clusters: [{ name: default, cluster: { server: 'https://10.0.0.1:6443' } }]
contexts: [{ name: default, context: { cluster: default, user: default } }]
current-context: default
users: [{ name: default, user: { tokenFile: token } }]
`
  writeFileSync(kubeconfig, text)
  for (const token of ['first', 'second']) {
    writeFileSync(join(folder, 'token'), `${token}\n`)
    const options = { headers: {} }
    await readConnection(kubeconfig, undefined).applyToHTTPSOptions(options)
    expect(options.headers).toEqual({ Authorization: `Bearer ${token}` })
  }
  expect(readConnection(kubeconfig, undefined).getCurrentCluster()?.server).toBe('https://10.0.0.1:6443')
  expect(readConnection(kubeconfig, 'https://10.0.0.2').getCurrentCluster()?.server).toBe('https://10.0.0.2')
})

it('readConnection accepts a server without TLS', async () => {
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'proxy-test-')), 'kubeconfig.conf')
  const text = `
clusters: [{ name: default, cluster: { server: 'http://10.0.0.1:8080' } }]
contexts: [{ name: default, context: { cluster: default, user: default } }]
current-context: default
users: [{ name: default, user: {} }]
`
  writeFileSync(kubeconfig, text)
  await expect(readConnection(kubeconfig, undefined).applyToHTTPSOptions({})).resolves.toBeUndefined()
})

it('readConnection rejects a missing file, and requires flags if it runs outside of a pod', () => {
  expect(() => readConnection('/not/there', undefined)).toThrow(/^\/not\/there: ENOENT/)
  expect(() => readConnection(undefined, undefined)).toThrow('neither --kubeconfig nor --master is set')
})

it.each([
  [
    'a wrong indentation',
    'token: SECRET\n     bad: indentation',
    'bad indentation of a mapping entry at line 10, column 9',
  ],
  ['an unknown alias', 'token: *SECRET', 'unidentified alias at line 9, column '],
  ['an unknown tag', 'token: !SECRET x', 'unknown tag at line 9, column '],
])('readConnection shows no line of a kubeconfig with %s', (_, user, reason) => {
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'proxy-test-')), 'kubeconfig.conf')
  const head =
    'apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\ncurrent-context: x\nusers:\n- name: u\n  user:\n'
  writeFileSync(kubeconfig, `${head}    ${user}\n`)
  let message = ''
  try {
    readConnection(kubeconfig, undefined)
  } catch (error) {
    message = (error as Error).message
  }
  expect(message).toContain(reason)
  expect(message).toMatch(/^[^\n]+$/)
  expect(message).not.toContain('SECRET')
})
