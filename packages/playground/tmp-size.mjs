import { build } from 'vite'
import { gzipSync } from 'node:zlib'
const root = new URL('.', import.meta.url).pathname
const groups = new Map()
const built = await build({ root, logLevel: 'silent', plugins: [{ name: 'sz', generateBundle(_o, b) {
  for (const f of Object.values(b)) if (f.type === 'chunk') for (const [id, m] of Object.entries(f.modules)) {
    const code = m.code ?? ''
    const k = id.includes('node_modules') ? 'npm ' + id.replace(/^.*node_modules\//, '').split('/').slice(0, id.replace(/^.*node_modules\//, '').startsWith('@') ? 2 : 1).join('/') + (process.argv[2] && id.includes(process.argv[2]) ? ' ' + id.replace(/^.*node_modules\//, '') : '')
      : id.includes('gallery') && id.startsWith('\0') ? 'gallery' : id.replace(/^.*\/packages\//, '').replace('/src/', '/').split('/').slice(0, id.includes('dataplane') ? 3 : 2).join('/')
    const g = groups.get(k) ?? { n: 0, code: '' }; g.n++; g.code += code; groups.set(k, g) } } }], build: { write: false, minify: process.env.MIN === '0' ? false : true } })
const total = built.output.find((f) => f.fileName === 'index.html').source
console.log('total', gzipSync(total, { level: 9 }).length)
const rows = [...groups].map(([k, g]) => [k, g.n, g.code.length, gzipSync(g.code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s+/gm, ''), { level: 9 }).length]).sort((a, b) => b[3] - a[3])
for (const r of rows.slice(0, 60)) console.log(String(r[3]).padStart(8), String(r[2]).padStart(8), String(r[1]).padStart(4), r[0])
console.log(rows.reduce((s, r) => s + r[3], 0))
