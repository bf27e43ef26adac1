module.exports = "not this one";
