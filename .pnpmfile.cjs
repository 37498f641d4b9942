// `pnpm start` shows what the command prints, and nothing of pnpm; the installation that may come before it is not silent.
const updateConfig = (config) =>
  process.argv.slice(2, 4).includes('start') ? { ...config, reporter: 'silent' } : config

module.exports = { hooks: { updateConfig } }
