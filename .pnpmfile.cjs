// `pnpm start` shows what the command prints, and nothing of pnpm; the installation that may come before it is not silent.
const updateConfig = (config) =>
  process.argv.slice(2, 4).includes('start') ? { ...config, reporter: 'silent' } : config

// These need the programming interface of the compiler, which TypeScript 7 does not have; they get a compiler of their own.
const readPackage = (found) =>
  ['typedoc', 'rollup-plugin-dts'].includes(found.name)
    ? { ...found, dependencies: { ...found.dependencies, typescript: '6.0.3' }, peerDependencies: {} }
    : found

module.exports = { hooks: { updateConfig, readPackage } }
