export function fairQueue(work) {
  return (item) =>
    new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          resolve(work(item));
        } catch (error) {
          reject(error);
        }
      });
    });
}
