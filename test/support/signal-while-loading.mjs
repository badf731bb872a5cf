// Preloaded (`node --import`): sends this process SIGTERM as soon as anything listens to it.
process.on('newListener', function listen(name) {
  if (name !== 'SIGTERM') return;
  process.off('newListener', listen);
  setImmediate(() => process.kill(process.pid, 'SIGTERM'));
});
