module.exports = (value) => {
  value.call();
};
